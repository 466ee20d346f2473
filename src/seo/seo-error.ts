/** A wrong use or an unusable file, in words for the operator. */
export class SeoError extends Error {}
