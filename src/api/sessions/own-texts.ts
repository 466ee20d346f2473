import { z } from 'zod';
import { refuseBrokenText } from '../http/refuse-broken-text.ts';

const ownTexts = z.object({
  name: z.string().trim().min(1).max(100).optional(),
  image: z.string().max(2_048).nullish(),
});

/**
 * What users may write about themselves: better-auth stores any JSON of any length as their name.
 * @returns what is wrong with it, or null.
 */
export function flawOfOwnTexts(body: unknown): string | null {
  const result = ownTexts.safeParse(body);
  const issue = result.error?.issues[0];
  return issue === undefined ? null : `${issue.path.join('.')}: ${issue.message}`;
}

/** As for calls of our own: Postgres stores no NUL. A text that is no JSON is left to better-auth. @throws AppError `invalid_request` */
export function refuseBrokenJson(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof value === 'object' && value !== null) refuseBrokenText({ ...value });
}
