const messages = /call stack|allocation failed|invalid (string|array|typed array) length|out of memory/i;

/** Whether an error says that work needs more than its process has: its stack, or one value that is too long. */
export const isExhaustion = (error: unknown): boolean =>
  error instanceof RangeError && messages.test(error.message);
