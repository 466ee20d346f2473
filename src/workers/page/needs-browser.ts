import { Parser } from 'htmlparser2';

/** A page with this much text of its own is read as it is, unless something else tells that it is not whole. */
const enoughText = 600;

const silentElements = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'svg', 'iframe']);
const dataScripts =
  /^(application\/(ld\+)?json|text\/(template|x-template|x-handlebars.*)|importmap|speculationrules)$/;
/** Where frameworks put a client-rendered app. */
const appRoots = /^(root|app|__next|__nuxt|___gatsby|svelte|main-app|react-root|app-root|application)$/;
const scriptRedirect =
  /(window|document|self|top)?\.?location(\.href)?\s*=[^=]|location\.(replace|assign)\s*\(/;
const needsScriptText =
  /(enable|requires?|turn on|activate)\W+(\w+\W+){0,3}java\s?script|java\s?script\W+(\w+\W+){0,3}(required|disabled|enabled)/i;

/**
 * Decides from a page's HTML alone whether scripts make its content. A wrong no costs content, a wrong yes
 * only time: doubt goes to the browser.
 */
export function needsBrowser(html: string): boolean {
  let textLength = 0;
  let scripts = 0;
  let redirects = false;
  let refreshes = false;
  let asksForScript = false;
  let emptyRoot = false;
  let openRoot: { depth: number; textBefore: number } | null = null;
  let depth = 0;
  const silent: string[] = [];
  let inScript = false;

  const parser = new Parser({
    onopentag(name, attributes) {
      depth++;
      if (name === 'script') {
        inScript = !dataScripts.test(attributes['type']?.trim().toLowerCase() ?? '');
        if (inScript) scripts++;
      }
      if (name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'refresh') refreshes = true;
      if (silentElements.has(name)) silent.push(name);
      const isRoot = appRoots.test(attributes['id'] ?? '') || name.endsWith('-root') || name === 'app-root';
      if (isRoot && openRoot === null && name !== 'html') openRoot = { depth, textBefore: textLength };
    },
    ontext(chunk) {
      if (inScript) redirects ||= scriptRedirect.test(chunk);
      else if (silent.includes('noscript')) asksForScript ||= needsScriptText.test(chunk);
      if (silent.length === 0) textLength += chunk.replace(/\s+/g, ' ').trim().length;
    },
    onclosetag(name) {
      if (name === 'script') inScript = false;
      if (silent.at(-1) === name) silent.pop();
      if (openRoot?.depth === depth) {
        emptyRoot ||= textLength - openRoot.textBefore < 50;
        openRoot = null;
      }
      depth--;
    },
  });
  parser.end(html);

  if (refreshes && textLength < enoughText) return true;
  if (scripts === 0) return false;
  if (emptyRoot) return true;
  if (asksForScript) return true;
  if (redirects && textLength < 2 * enoughText) return true;
  return textLength < enoughText;
}
