/** @module lapidary/codecs */

export type { AttributeCodec } from '../model/attribute-codec.ts'
export { type DeflatedOptions, deflated, type PackedOptions, packed } from './packed.ts'
export { type StoredForm, storedForms } from './stored-form.ts'
export { type TrainingOptions, trainDictionary } from './train-dictionary.ts'
