import { z } from 'zod';

const decimal = /^-?\d{1,12}(\.\d{1,25})?(e[+-]?\d{1,3})?$/i;

/** A query is text: a number as programs write it, `12`, `12.5` or `1e-7`. */
export function queryNumber({ min, max, default: otherwise }: { min: number; max: number; default: number }) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' && decimal.test(value) ? Number(value) : value),
      z
        .number({
          error: ({ code }) => (code === 'invalid_type' ? 'must be a number such as 12.5' : undefined),
        })
        .min(min)
        .max(max)
        .meta({ default: otherwise }),
    )
    .default(otherwise);
}
