import { v7, validate } from 'uuid';

/** UUID v7: ids sort by the time they were made. */
export function createId(): string {
  return v7();
}

export function isId(text: string): boolean {
  return validate(text);
}
