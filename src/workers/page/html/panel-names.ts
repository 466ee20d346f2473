/** Of a panel that a click folds out. A bare `panel` may be any part of a site: what logs in, what tells of cookies or of an error. */
export const panelName =
  /(?:^|[\s_-])(?:tab-?(?:panel|pane|content)|accordion|collaps(?:e|ed|ible)|faq|answer)(?:$|[\s_-])/i;
/** Of a menu, or a window that opens over its page. */
export const windowName = /(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|dropdown|modal|popup|dialog)(?:$|[\s_-])/i;
export const windowRole = /^(?:menu|menubar|navigation|dialog|alertdialog|alert|status|search)$/;
/** What stands in these is no part of a page's text, or is there to be filled in. */
export const elsewhere: ReadonlySet<string> = new Set(['nav', 'header', 'footer', 'aside', 'form', 'dialog']);
