const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
/** Codes for what is no language that is known. */
const noLanguage = /^(?:und|mul|mis|zxx)$/;
/** Of the codes of three letters `Intl` knows some only. */
const isNoCode = (language: string): boolean => language.length !== 3 && names.of(language) === undefined;

/**
 * A language tag as the standard writes it (BCP 47), of the first that a text states; null for what is none, and where its
 * language is no code of ISO 639 (`english`).
 */
export function toLanguageTag(text: string | null | undefined): string | null {
  const tag = text?.split(',')[0]?.trim().replaceAll('_', '-') ?? '';
  try {
    const found = Intl.getCanonicalLocales(tag)[0] ?? null;
    const language = found?.split('-', 1)[0] ?? '';
    return noLanguage.test(language) || isNoCode(language) ? null : found;
  } catch {
    return null;
  }
}
