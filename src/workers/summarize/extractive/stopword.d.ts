/** Lists of stop words by ISO 639-3; the package brings no types. */
declare module 'stopword' {
  const lists: Readonly<Record<string, readonly string[]>>;
  export = lists;
}
