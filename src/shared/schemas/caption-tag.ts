import { z } from 'zod';

/** A language of captions, as platforms write it. */
export const captionTag = z
  .string()
  .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$/, 'must be a language tag such as en or pt-BR');
