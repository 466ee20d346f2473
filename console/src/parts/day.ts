/* Days as people mean them, in their own zone; `YYYY-MM-DD` as a field of a date has it. */

export function dayOf(at: string | null): string {
  if (at === null) return '';
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();
