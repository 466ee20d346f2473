import { z } from 'zod';

const decimal = /^-?(0|[1-9]\d{0,11})(\.\d{1,9})?$/;

/** A query is text: a decimal number without exponent, as `12` or `12.5`. */
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
