const empty =
  /^(area|base|basefont|bgsound|br|col|embed|frame|hr|img|input|keygen|link|meta|param|source|track|wbr)$/;

/** Has no content and no end tag. */
export const isVoid = (name: string): boolean => empty.test(name);
