/**
 * In a page whose cookie banner is gone: takes away what it was darkened, veiled, paled or blurred with. A veil is what
 * is met first nearly everywhere in the window, shows nothing of its own and has no picture; where a dialog stands on
 * it, it is that one's.
 */
export function liftVeils(): void {
  const viewport = window.innerWidth * window.innerHeight;
  const media = 'img,svg,video,canvas,iframe,object,embed,slot';
  // The fifth is the middle of the window, where dialogs stand.
  const points = [0.25, 0.5, 0.75].flatMap((y) => [0.25, 0.5, 0.75].map((x) => [x, y] as const));
  const mostPoints = 7;
  const mostVeils = 5;

  /** What lies uppermost at each point, in open shadow trees too. */
  const findUppermost = (): (Element | null)[] =>
    points.map(([x, y]) => {
      const [left, top] = [x * window.innerWidth, y * window.innerHeight];
      let found = document.elementFromPoint(left, top);
      for (let root = found?.shadowRoot; root; root = found?.shadowRoot) {
        const inner = root.elementFromPoint(left, top);
        if (inner?.getRootNode() !== root) break;
        found = inner;
      }
      return found;
    });
  /** The layer that holds an element: fixed to the window, or laid over the page as a whole. */
  const layerOf = (element: Element | null): HTMLElement | null => {
    for (let part = element; part !== null;) {
      const { position } = getComputedStyle(part);
      const isOfPage = part instanceof HTMLElement && (part.offsetParent ?? document.body) === document.body;
      if (/^(fixed|sticky)$/.test(position) || (position === 'absolute' && isOfPage))
        return part as HTMLElement;
      const root = part.getRootNode();
      part = part.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    }
    return null;
  };
  const isTranslucent = (style: CSSStyleDeclaration): boolean =>
    style.backdropFilter !== 'none' ||
    Number(style.opacity) < 1 ||
    /(, |\/ )0?\.\d+\)$/.test(style.backgroundColor);
  const isBackground = (style: CSSStyleDeclaration): boolean =>
    Number(style.zIndex) < 0 || style.backgroundImage !== 'none';
  const isVeil = (layer: HTMLElement): boolean => {
    const style = getComputedStyle(layer);
    const { width, height } = layer.getBoundingClientRect();
    const parts = [layer, ...layer.querySelectorAll('*')];
    return (
      width * height > 0.9 * viewport &&
      !isBackground(style) &&
      (style.position !== 'absolute' || isTranslucent(style)) &&
      layer.innerText.trim() === '' &&
      !parts.some((part) => part.matches(media) || part.shadowRoot !== null)
    );
  };

  // Veils let clicks through now and then.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*{pointer-events:auto!important}');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let uppermost = findUppermost();
  for (let lifted = 0; lifted < mostVeils; lifted++) {
    const layers = uppermost.map(layerOf);
    const layer = layers[4] ?? null;
    if (layer === null || layers.filter((one) => one === layer).length < mostPoints || !isVeil(layer)) break;
    layer.style.setProperty('display', 'none', 'important');
    uppermost = findUppermost();
  }

  // Some darken the page without an element.
  const rules: string[] = [];
  for (const root of [document.documentElement, document.body]) {
    if (uppermost[4] !== root || uppermost.filter((one) => one === root).length < mostPoints) continue;
    for (const pseudo of ['::before', '::after']) {
      const style = getComputedStyle(root, pseudo);
      const isLayer = /^(fixed|absolute)$/.test(style.position) && style.content !== 'none';
      const area = Number.parseFloat(style.width) * Number.parseFloat(style.height);
      if (isLayer && area > 0.9 * viewport && isTranslucent(style) && !isBackground(style))
        rules.push(`${root.localName}${pseudo}{display:none!important}`);
    }
  }
  sheet.replaceSync(rules.join(''));

  // Others make what holds the page pale or blurred.
  const wrappers = new Set<Element>(Array.from(document.body.children).slice(0, 50));
  for (const element of uppermost)
    for (let part = element; part !== null && part !== document.body; part = part.parentElement)
      wrappers.add(part);
  for (const wrapper of wrappers) {
    if (!(wrapper instanceof HTMLElement) || wrapper.offsetWidth < window.innerWidth / 2) continue;
    const style = getComputedStyle(wrapper);
    if (style.filter.includes('blur(')) wrapper.style.setProperty('filter', 'none', 'important');
    const isHeldBack = wrapper.closest('[inert],[aria-hidden="true"]') !== null;
    if (isHeldBack && Number(style.opacity) < 1) wrapper.style.setProperty('opacity', '1', 'important');
  }
}
