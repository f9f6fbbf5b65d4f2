/** Returns a collection for a layout: native keys sort ids as they are. */
export function inLayout<C extends object>(collection: C, layout: string | undefined): C {
  return layout === 'native-keys' ? { ...collection, idOrder: 'raw' } : collection
}
