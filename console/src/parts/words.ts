const number = new Intl.NumberFormat('en');

/** `1,234`. */
export const numberOf = (value: number): string => number.format(value);

/** `1 request`, `2 requests`. */
export const counted = (value: number, thing: string, things = `${thing}s`): string =>
  `${number.format(value)} ${value === 1 ? thing : things}`;
