/** What to do about an audit of Lighthouse, where its own description says only what it is about. */
export const fixes: Readonly<Record<string, string | undefined>> = {
  'first-contentful-paint':
    'Let less stand before the first paint: defer scripts, inline the few styles that the first screen needs, answer the document sooner.',
  'largest-contentful-paint':
    'Load the largest element of the first screen earlier: put its image into the HTML with fetchpriority="high", never lazily, and make it smaller.',
  'total-blocking-time':
    'Run less script while the page loads: split long tasks, defer what the first screen does not need, remove what is not used.',
  'cumulative-layout-shift':
    'Keep the place of what comes later: give images, frames and advertisements a width and a height, and insert nothing above what is already shown.',
  'speed-index':
    'Show the content of the first screen sooner, by what helps First and Largest Contentful Paint.',
  'cls-culprits-insight':
    'Give each element that moved a fixed size before its content comes, and insert nothing above it after the load.',
  'render-blocking-insight':
    'Load these scripts with defer or async, and these styles later or inline, so that the first paint does not wait for them.',
  'unsized-images': 'Set the width and height attributes of each image to its own proportions.',
  'image-delivery-insight':
    'Serve these images as WebP or AVIF in the size in which they are shown, with srcset for several.',
  'cache-insight': 'Send Cache-Control with a long max-age for files whose name changes with their content.',
  'document-latency-insight':
    'Answer the document sooner (cache it, avoid redirects) and compress it with gzip or Brotli.',
  'unused-javascript': 'Remove what is not used, and load by import() what only some visitors need.',
  'unused-css-rules': 'Remove rules that no page uses, and load those of other pages with these pages.',
  'unminified-javascript': 'Minify the scripts in the build.',
  'unminified-css': 'Minify the styles in the build.',
  'total-byte-weight': 'Send less: compress texts, shrink images, leave out what the page does not need.',
  'dom-size-insight':
    'Keep the document small: show long lists in parts, and remove wrappers that do nothing.',
  'font-display-insight':
    'Add font-display: swap to the @font-face rules, so that text shows while its font loads.',
  'forced-reflow-insight': 'Read the geometry of elements before changing styles, not in between.',
  'legacy-javascript-insight': 'Build for current browsers, without polyfills that they do not need.',
  'modern-http-insight': 'Serve the page over HTTP/2 or HTTP/3.',
  'lcp-discovery-insight':
    'Name the image of the largest element in the HTML itself, with fetchpriority="high" and without loading="lazy".',
  'network-dependency-tree-insight':
    'Shorten the chain: preload what is found late, and do not let one file load the next.',
  'third-parties-insight': 'Load third-party code after the page, or leave out what is not worth its cost.',
  'viewport-insight': 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
  'bootup-time': 'Send and run less script.',
  'mainthread-work-breakdown': 'Run less script and lay out less while the page loads.',
  'bf-cache':
    'Remove what keeps the page out of the back/forward cache, such as unload handlers and no-store.',
  'image-alt': 'Give each image an alt text that says what it shows; alt="" where it is decoration only.',
  'color-contrast':
    'Darken the text or lighten its background until the contrast is 4.5:1 (3:1 for large text).',
  'document-title': 'Add a <title> to the head that says what this page is about.',
  'html-has-lang': 'Name the language of the page: <html lang="en">.',
  'html-lang-valid': 'Use a language tag of BCP 47, such as en or pt-BR.',
  label: 'Give each field a <label for>, or an aria-label.',
  'link-name': 'Give each link text, or its image an alt text, that says where it leads.',
  'button-name': 'Give each button text or an aria-label that says what it does.',
  'frame-title': 'Give each frame a title that says what is in it.',
  'heading-order':
    'Let levels of headings follow each other without a gap: h3 stands below h2, not below h1.',
  'meta-viewport': 'Allow zooming: remove user-scalable=no and a maximum-scale below 5.',
  tabindex: 'Use no tabindex above 0; bring the elements into the right order instead.',
  'target-size': 'Make what is tapped at least 24 by 24 CSS pixels, or leave space around it.',
  'landmark-one-main': 'Put the main content into one <main> element.',
  list: 'Put only <li> (and script or template) directly into lists.',
  listitem: 'Put each <li> into a <ul>, <ol> or <menu>.',
  'duplicate-id-aria': 'Make the ids that ARIA attributes and labels refer to unique.',
  'select-name': 'Give each <select> a label.',
  'is-on-https': 'Serve the page and everything that it loads over HTTPS.',
  'errors-in-console': 'Mend these errors: scripts that fail, and files that are missing.',
  doctype: 'Begin the document with <!doctype html>.',
  charset: 'Declare the encoding in the first 1024 bytes, <meta charset="utf-8">, or in Content-Type.',
  'image-aspect-ratio': 'Show the images in their own proportions.',
  'image-size-responsive': 'Serve images with enough pixels for the screen, by srcset.',
  deprecations: 'Replace these interfaces: browsers are about to remove them.',
  'third-party-cookies': 'Do without cookies of third parties: browsers block them.',
  'paste-preventing-inputs': 'Let people paste into the fields, as password managers do.',
  'meta-description': 'Add <meta name="description"> with a summary of the page of one or two sentences.',
  'link-text': 'Write links that say where they lead, in place of "click here".',
  'crawlable-anchors': 'Give links an href with an address, so that crawlers can follow them.',
  'is-crawlable': 'Remove noindex from the robots meta tag or header, if the page is to be found.',
  'robots-txt': 'Correct the lines of robots.txt that cannot be read.',
  canonical: 'Point <link rel="canonical"> to one absolute address of this page.',
  hreflang: 'Use valid language codes and absolute addresses in the hreflang links.',
  'http-status-code': 'Answer the page with status 200.',
};
