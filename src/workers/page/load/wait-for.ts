import type { Page } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';

export type WaitFor =
  | { kind: 'default' | 'load' | 'domcontentloaded' | 'networkidle' }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'selector'; selector: string };

/** Reads the `waitFor` option; anything that is no keyword and no number is a CSS selector. */
export function parseWaitFor(text: string | undefined): WaitFor {
  const value = text?.trim();
  if (!value) return { kind: 'default' };
  if (value === 'load' || value === 'domcontentloaded' || value === 'networkidle') return { kind: value };
  if (/^\d+$/.test(value)) return { kind: 'delay', delayMs: Number(value) };
  return { kind: 'selector', selector: value };
}

/**
 * @param path of the field that holds the selector, for the error.
 * @throws AppError `invalid_request` when the browser does not understand the selector.
 */
export async function checkSelector(page: Page, selector: string, path: string): Promise<void> {
  const message = await isolatedWorldOf(page).evaluate((text) => {
    try {
      document.createDocumentFragment().querySelector(text);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }, selector);
  if (message === null) return;
  const problem = `"${selector}" is not a CSS selector.`;
  throw new AppError('invalid_request', problem, { errors: [{ path, message: problem }] });
}
