import { z } from 'zod';

interface Bounds {
  min: number;
  max: number;
  default: number;
}

/** A query is text. Decimal digits only: `Number` also reads an empty text, `0x10` and `1e1`. */
export function queryInteger(bounds: Bounds) {
  const { min, max, default: otherwise } = bounds;
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^-?(0|[1-9]\d*)$/.test(value) ? Number(value) : value),
      // zod does not tell the default of what it has transformed.
      z
        .int({ error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : undefined) })
        .min(min)
        .max(max)
        .meta({ default: otherwise }),
    )
    .default(otherwise);
}
