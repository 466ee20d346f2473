import { v7, validate } from 'uuid';

/** UUID v7: ids sort by the time they were made. */
export function createId(): string {
  return v7();
}

export function isId(text: string): boolean {
  return validate(text);
}

/** The least id that can have been made at that time (milliseconds since the epoch) or later. */
export function idNotBefore(at: number): string {
  const time = Math.floor(at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
