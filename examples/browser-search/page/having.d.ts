export declare function havingWords(words: string): (item: { readonly text: string }) => boolean
