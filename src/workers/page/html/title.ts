/** Characters of a title; what a page calls so may be megabytes long. */
export const longestTitle = 1_000;

export const boundTitle = (title: string): string => title.slice(0, longestTitle).toWellFormed();
