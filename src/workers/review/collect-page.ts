import type { CollectedPage } from './page-facts.ts';

/**
 * Runs in the page, in a world of its own, and so uses nothing from outside of itself. All lists are bounded: a page may
 * hold any number of anything.
 */
export function collectPage(): CollectedPage {
  const most = 500;
  const maxText = 50_000;

  const steps = new Map<Element, string>();

  /** The document and the open shadow trees in it. */
  const roots: (Document | ShadowRoot)[] = [document];
  for (let at = 0; at < roots.length && roots.length < most; at++) {
    let seen = 0;
    for (const element of roots[at]?.querySelectorAll('*') ?? []) {
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      if (++seen > 100_000) break;
    }
  }
  const all = (selector: string): Element[] => {
    const found: Element[] = [];
    for (const root of roots) {
      if (found.length < most) found.push(...[...root.querySelectorAll(selector)].slice(0, most));
    }
    return found.slice(0, most);
  };
  const hostOf = (element: Element) => {
    const root = element.getRootNode();
    return root instanceof ShadowRoot ? root.host : null;
  };
  function selectorOf(element: Element): string {
    const parts: string[] = [];
    for (
      let at: Element | null = element;
      at !== null && parts.length < 8;
      at = at.parentElement ?? hostOf(at)
    ) {
      if (at.id !== '' && at.id.length < 100) {
        parts.unshift(`#${CSS.escape(at.id)}`);
        break;
      }
      parts.unshift(stepTo(at));
    }
    return parts.join(' > ');
  }
  /** All children of a parent at once: it may have a hundred thousand. */
  function stepTo(element: Element): string {
    if (!steps.has(element)) {
      const siblings = Map.groupBy(element.parentElement?.children ?? [element], (one) => one.localName);
      for (const [name, same] of siblings)
        for (const [at, one] of same.entries())
          steps.set(one, same.length === 1 ? name : `${name}:nth-of-type(${at + 1})`);
    }
    return steps.get(element) ?? element.localName;
  }
  const place = (element: Element) => ({
    selector: selectorOf(element),
    element: (element.cloneNode(false) as Element).outerHTML.slice(0, 200),
  });
  const textOf = (element: Element): string =>
    (element.textContent ?? '').slice(0, 1_000).replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  const attribute = (element: Element, name: string): string => element.getAttribute(name) ?? '';
  /** By the elements that `aria-labelledby` names. */
  function labelOf(element: Element): string {
    const labels = attribute(element, 'aria-labelledby').split(/\s+/).slice(0, 20);
    const texts = labels.map((id) => document.getElementById(id)?.textContent ?? '');
    return texts.join(' ').slice(0, 200).trim();
  }
  /** Near enough to the accessible name: text, label, or that of what is inside. */
  function nameOf(element: Element): string {
    const own = [textOf(element), labelOf(element), attribute(element, 'aria-label')];
    const inside = [...element.querySelectorAll('[aria-label],[aria-labelledby],img[alt],svg title')]
      .slice(0, 20)
      .map((one) => labelOf(one) || attribute(one, 'aria-label') || attribute(one, 'alt') || textOf(one));
    const names = [...own, ...inside, attribute(element, 'title')].map((text) => text.slice(0, 200).trim());
    return names.find((text) => text !== '') ?? '';
  }
  const hasNoBox = (element: Element): boolean =>
    element.localName === 'area' || getComputedStyle(element).display === 'contents';
  const isHidden = (element: Element): boolean =>
    element.closest('[aria-hidden="true"]') !== null ||
    (!element.checkVisibility({ visibilityProperty: true }) && !hasNoBox(element));
  const absolute = (value: string): string => URL.parse(value, document.baseURI)?.href.slice(0, 2_000) ?? '';
  const contents = (selector: string): string[] =>
    all(selector).map((element) => attribute(element, 'content').slice(0, 2_000));

  const isStyle = (element: Element) => element.localName === 'link';
  const source = (element: Element) => absolute(attribute(element, isStyle(element) ? 'href' : 'src'));
  const sheets = 'link[rel~="stylesheet" i][href]';

  const inSrcset = /(?:^|[\s,])(http:\/\/[^\s,]+)/i;
  const inStyles = /(?:url\(\s*["']?|@import\s+["'])(http:\/\/[^\s)'"]+)/i;
  /** The first that an element loads over plain http. */
  function plainOf(element: Element) {
    const named = ['src', 'href', 'xlink:href', 'poster', 'data'].map((name) => attribute(element, name));
    const sets = ['srcset', 'imagesrcset'].map((name) => inSrcset.exec(attribute(element, name))?.[1] ?? '');
    const sheet = element.localName === 'style' ? (element.textContent ?? '').slice(0, 200_000) : '';
    const style = `${sheet.replaceAll(/@namespace[^;]*/gi, '')} ${attribute(element, 'style')}`;
    const urls = [...named, ...sets, inStyles.exec(style)?.[1] ?? '']
      .filter((url) => url !== '')
      .map(absolute);
    return { element, url: urls.find((url) => url.startsWith('http:')) ?? '', isForm: false };
  }
  const loading =
    'img,script,iframe,frame,video,audio,source,track,embed,object,image,use,style,input[type="image" i],' +
    'link:is([rel~="stylesheet" i],[rel~="icon" i],[rel~="preload" i],[rel~="modulepreload" i],[rel~="manifest" i])';
  const forms = [
    ...all('form[action]').map((element) => ({ element, url: absolute(attribute(element, 'action')) })),
    ...all('[formaction]').map((element) => ({ element, url: absolute(attribute(element, 'formaction')) })),
  ];
  const plain = [
    // Few pages have so much that a fault stands behind the bound; what the page asks for is heard beside this.
    ...[...all(loading), ...all('[style*="http://" i]')].map(plainOf),
    ...forms.map((form) => ({ ...form, isForm: true })),
  ].filter(({ url }) => url.startsWith('http:'));

  /** In place of an image; null where there is none, empty for decoration. */
  function alternativeOf(element: Element): string | null {
    const alt = element.getAttribute('alt');
    if (alt !== null && alt.trim() !== '') return alt;
    const title = element.querySelector(':scope > title');
    const other = [
      attribute(element, 'aria-label'),
      labelOf(element),
      attribute(element, 'title'),
      title?.textContent ?? '',
    ];
    const name = other.map((text) => text.slice(0, 200).trim()).find((text) => text !== '');
    return name ?? (element.localName === 'img' && alt === '' ? '' : null);
  }
  /** That of most of the text: an element with a `lang` of its own may hold nearly all of the page. */
  function languageTag(): string | null {
    const own = document.documentElement.getAttribute('lang');
    const whole = document.body?.textContent?.length ?? 0;
    const holder = [...document.querySelectorAll('body[lang],body [lang]')]
      .slice(0, 50)
      .findLast((element) => (element.textContent ?? '').length > whole / 2);
    return holder?.getAttribute('lang') ?? own;
  }
  /** Of a link within the page that leads to nothing there. */
  function isDeadFragment(element: Element): boolean {
    const { hash, href } = new URL(absolute(attribute(element, 'href')) || location.href);
    if (hash.length < 2 || /^#(?:[!/:]|top$)/i.test(hash)) return false;
    if (href.slice(0, -hash.length) !== location.href.split('#', 1)[0]) return false;
    let id = hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // Not encoded: looked for as it stands.
    }
    return document.getElementById(id) === null && document.getElementsByName(id).length === 0;
  }
  const inHead = all('head title:not(svg *)');
  const canonical = document.querySelector('link[rel~="canonical" i][href]');
  const isSwitch =
    '[role="button" i],[role="tab" i],[onclick],[aria-controls],[data-toggle],[data-bs-toggle]';

  return {
    url: location.href,
    titles: (inHead.length > 0 ? inHead : all('title:not(svg *)').slice(0, 1)).map(textOf),
    canonical: canonical === null ? null : absolute(attribute(canonical, 'href')),
    descriptions: contents('meta[name="description" i]'),
    lang: document.documentElement.getAttribute('lang'),
    textLang: languageTag(),
    generator: contents('meta[name="generator" i]')[0] ?? null,
    referrerPolicy: contents('meta[name="referrer" i]').at(-1) ?? null,
    metaPolicies: contents('meta[http-equiv="content-security-policy" i]'),
    social: all('meta[property^="og:" i],meta[name^="twitter:" i]').map((element) => ({
      property: (attribute(element, 'property') || attribute(element, 'name')).toLowerCase(),
      content: attribute(element, 'content').slice(0, 2_000),
    })),
    headings: all('h1,h2,h3,h4,h5,h6,[role="heading"][aria-level]')
      .filter((element) => !isHidden(element))
      .map((element) => ({
        ...place(element),
        level: Number(attribute(element, 'aria-level') || element.localName.slice(1)) || 2,
        text: nameOf(element),
      })),
    images: all('img,input[type="image" i],area[href],[role="img" i]').map((element) => {
      const isDecoration = /^(presentation|none)$/.test(attribute(element, 'role'));
      const image = element.localName === 'img' ? (element as HTMLImageElement) : null;
      const isAsked = image !== null && (image.currentSrc !== '' || image.hasAttribute('src'));
      const isBroken = isAsked && image.complete && image.naturalWidth === 0;
      return {
        ...place(element),
        src: image?.currentSrc.slice(0, 2_000) || (element.hasAttribute('src') ? source(element) : ''),
        alt: alternativeOf(element),
        isHidden: isDecoration || isHidden(element),
        isBroken,
      };
    }),
    links: all('a[href]').map((element) => ({
      ...place(element),
      url: absolute(attribute(element, 'href')),
      text: nameOf(element),
      isHidden: isHidden(element),
    })),
    scripts: all(`script[src],${sheets}`).map((element) => ({
      ...place(element),
      url: source(element),
      integrity: attribute(element, 'integrity'),
      isStyle: isStyle(element),
    })),
    plain: plain.map(({ element, url, isForm }) => ({ ...place(element), url, isForm })),
    hasForms: document.querySelector('form,[formaction],input[type="password" i]') !== null,
    frames: all('iframe[src]').map((element) => ({ ...place(element), url: source(element) })),
    deadFragments: all(`a[href*="#"]:not(${isSwitch})`)
      .filter(isDeadFragment)
      .map((element) => ({ ...place(element), url: absolute(attribute(element, 'href')) })),
    passwordFields: all('input[type="password" i]').map(place),
    jsonLd: all('script[type^="application/ld+json" i]')
      .slice(0, 50)
      .map((element) => {
        const json = element.textContent ?? '';
        return { ...place(element), text: json.length > 200_000 ? null : json };
      }),
    text: (document.body?.innerText ?? '').slice(0, maxText),
  };
}
