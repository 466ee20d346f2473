import type { CollectedPage } from './page-facts.ts';

/**
 * Runs in the page, in a world of its own, and so uses nothing from outside of itself. All lists are bounded: a page may
 * hold any number of anything.
 */
export function collectPage(): CollectedPage {
  const most = 500;
  const maxText = 50_000;

  const all = (selector: string): Element[] => [...document.querySelectorAll(selector)].slice(0, most);
  function selectorOf(element: Element): string {
    const parts: string[] = [];
    for (let at: Element | null = element; at !== null && parts.length < 8; at = at.parentElement) {
      if (at.id !== '' && at.id.length < 100) {
        parts.unshift(`#${CSS.escape(at.id)}`);
        break;
      }
      const name = at.localName;
      const same = [...(at.parentElement?.children ?? [])].filter((one) => one.localName === name);
      parts.unshift(same.length > 1 ? `${name}:nth-of-type(${same.indexOf(at) + 1})` : name);
    }
    return parts.join(' > ');
  }
  const place = (element: Element) => ({
    selector: selectorOf(element),
    element: (element.cloneNode(false) as Element).outerHTML.slice(0, 200),
  });
  const textOf = (element: Element): string =>
    (element.textContent ?? '').slice(0, 1_000).replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  const attribute = (element: Element, name: string): string => element.getAttribute(name) ?? '';
  /** Near enough to the accessible name: text, label, or that of an image inside. */
  function nameOf(element: Element): string {
    const image = element.querySelector('img[alt]:not([alt=""]),svg title');
    const own = textOf(element) || attribute(element, 'aria-label') || attribute(element, 'title');
    return own || (image === null ? '' : attribute(image, 'alt') || textOf(image)).slice(0, 200);
  }
  const absolute = (value: string): string => URL.parse(value, document.baseURI)?.href.slice(0, 2_000) ?? '';
  const contents = (selector: string): string[] =>
    all(selector).map((element) => attribute(element, 'content').slice(0, 2_000));

  const isStyle = (element: Element) => element.localName === 'link';
  const source = (element: Element) => absolute(attribute(element, isStyle(element) ? 'href' : 'src'));
  const loading = 'img[src],script[src],iframe[src],video[src],audio[src],source[src],embed[src]';
  const sheets = 'link[rel~="stylesheet" i][href]';
  const plain = [
    ...all(`${loading},${sheets}`).map((element) => ({
      element,
      url: source(element),
      isForm: false,
    })),
    ...all('form[action]').map((element) => ({
      element,
      url: absolute(attribute(element, 'action')),
      isForm: true,
    })),
  ].filter(({ url }) => url.startsWith('http:'));

  return {
    url: location.href,
    titles: all('head title').map(textOf),
    descriptions: contents('meta[name="description" i]'),
    lang: document.documentElement.getAttribute('lang'),
    generator: contents('meta[name="generator" i]')[0] ?? null,
    metaPolicies: contents('meta[http-equiv="content-security-policy" i]'),
    social: all('meta[property^="og:" i],meta[name^="twitter:" i]').map((element) => ({
      property: (attribute(element, 'property') || attribute(element, 'name')).toLowerCase(),
      content: attribute(element, 'content').slice(0, 2_000),
    })),
    headings: all('h1,h2,h3,h4,h5,h6').map((element) => ({
      ...place(element),
      level: Number(element.localName.slice(1)),
      text: nameOf(element),
    })),
    images: all('img').map((element) => {
      const image = element as HTMLImageElement;
      const isHidden =
        element.closest('[aria-hidden="true"]') !== null ||
        /^(presentation|none)$/.test(attribute(element, 'role'));
      const isBroken = image.complete && image.naturalWidth === 0 && image.currentSrc !== '';
      return {
        ...place(element),
        src: image.currentSrc.slice(0, 2_000) || source(element),
        alt: element.getAttribute('alt'),
        isHidden,
        isBroken,
      };
    }),
    links: all('a[href]').map((element) => ({
      ...place(element),
      url: absolute(attribute(element, 'href')),
      text: nameOf(element),
    })),
    scripts: all(`script[src],${sheets}`).map((element) => ({
      ...place(element),
      url: source(element),
      integrity: attribute(element, 'integrity'),
      isStyle: isStyle(element),
    })),
    plain: plain.map(({ element, url, isForm }) => ({ ...place(element), url, isForm })),
    frames: all('iframe[src]').map((element) => ({ ...place(element), url: source(element) })),
    passwordFields: all('input[type="password" i]').map(place),
    jsonLd: all('script[type="application/ld+json" i]')
      .slice(0, 50)
      .map((element) => ({ ...place(element), text: (element.textContent ?? '').slice(0, 200_000) })),
    text: (document.body?.innerText ?? '').slice(0, maxText),
  };
}
