import { randomBytes } from 'node:crypto';

/** Stands in the marks of this process, so that no document can name one. */
export const markSecret = randomBytes(8).toString('hex');
