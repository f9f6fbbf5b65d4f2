import {
  array,
  bigint,
  boolean,
  coerce,
  discriminatedUnion,
  email,
  enum as enumeration,
  int,
  intersection,
  iso,
  literal,
  looseObject,
  nullable,
  number,
  object,
  optional,
  record,
  strictObject,
  string,
  union,
  unknown,
  url,
  uuid,
} from 'zod'

/** The part of zod that declarations use. All of it is four times as large, for languages and formats that no plan goes by. */
export const z: Readonly<Record<string, unknown>> = {
  ...{ array, bigint, boolean, coerce, discriminatedUnion, email, enum: enumeration, int, intersection, iso, literal },
  ...{ looseObject, nullable, number, object, optional, record, strictObject, string, union, unknown, url, uuid },
}
