const tagOf = (language: string): string => language.toLowerCase().replaceAll('_', '-');

/** Norwegian that is not called Nynorsk is Bokmål. */
const commonNames: Record<string, string> = { nb: 'no' };

export interface CaptionTag {
  /** In lower case, with `-`; a deprecated code by the one that has replaced it (`he` for `iw`). */
  tag: string;
  /** The language without region and script. */
  base: string;
  /** Which script it is written in there, such as `Hant` of `zh-TW`; null of what is no tag. */
  script: string | null;
}

export function readLanguage(language: string): CaptionTag {
  const tag = tagOf(language);
  const [base = ''] = tag.split('-');
  try {
    const locale = new Intl.Locale(tag);
    const script = locale.maximize().script ?? null;
    const { language: own = base } = locale;
    return { tag: tagOf(locale.toString()), base: commonNames[own] ?? own, script };
  } catch {
    return { tag, base, script: null };
  }
}
