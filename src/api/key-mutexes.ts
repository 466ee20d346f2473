import { createKeyedMutex } from './keyed-mutex.ts';

/*
 * Changes of keys lock rows of their user: those that wait for each other would hold connections, of which there are few.
 * So one of a user is under way in a process, and one that ends keys beside it, which is not to wait for the others.
 */

/** Creates, rotates or changes. The name is the user's id. */
export const makeKeys = createKeyedMutex();

/** Revokes or deletes. The name is the user's id. */
export const endKeys = createKeyedMutex();
