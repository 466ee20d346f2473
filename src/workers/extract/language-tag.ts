/** A language tag as the standard writes it (BCP 47), of the first that a text states; null for what is none. */
export function toLanguageTag(text: string | null | undefined): string | null {
  const tag = text?.split(',')[0]?.trim().replaceAll('_', '-') ?? '';
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
