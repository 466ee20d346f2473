import { z } from 'zod';
import { captionTagForm } from './caption-tag-form.ts';

/** A language of captions, as platforms write it. */
export const captionTag = z.string().regex(captionTagForm, 'must be a language tag such as en or pt-BR');
