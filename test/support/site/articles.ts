import { sendHtml, type SitePage } from './page.ts';

const paragraphs = [
  'Slate is split, never sawn. The quarryman sets his chisel along the grain, and one tap parts the block.',
  'In 1872 the upper quarry employed four hundred people; by 1911 only ninety were left, and the railway closed.',
  'The tips still stand above the village, and on wet days they shine as though the work had stopped an hour ago.',
  'Rain finds the joints first. What the frost opens in winter, the spring carries down to the lake below.',
];

/** A page to be read: long enough for extraction, with everything that a head can say about it. */
const article = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>How slate is split</title>
<meta name="description" content="A short history of the slate quarry and of those who worked in it.">
<meta name="author" content="Mair Prytherch">
<meta name="robots" content="index, follow">
<link rel="canonical" href="/article">
<link rel="icon" href="/image.png">
<meta property="og:title" content="How slate is split">
<meta property="og:type" content="article">
<meta property="og:site_name" content="The Quarry Post">
<meta property="og:image" content="/image.png">
<meta property="article:published_time" content="2024-03-14T09:00:00Z">
<meta name="twitter:card" content="summary">
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Article", "headline": "How slate is split",
 "datePublished": "2024-03-14T09:00:00Z", "author": {"@type": "Person", "name": "Mair Prytherch"}}
</script>
<style>body { font: 18px/1.5 sans-serif; margin: 0 auto; max-width: 42em } nav, footer { color: #777 }</style>
</head>
<body>
<nav><a href="/">Home</a> <a href="/article-plain">Plain</a> <a href="https://example.com/">Elsewhere</a></nav>
<article>
<h1>How slate is split</h1>
<p class="byline">By <a rel="author" href="/about">Mair Prytherch</a>, <time datetime="2024-03-14">14 March 2024</time></p>
${paragraphs.map((text) => `<p>${text}</p>`).join('\n')}
<figure><img src="/image.png" alt="A block of slate" width="200" height="100"><figcaption>A block.</figcaption></figure>
<h2>The tools</h2>
<ul><li>Chisel</li><li>Mallet</li><li>Wedge</li></ul>
<pre><code>split(block, along: grain)</code></pre>
${paragraphs.map((text) => `<p>${text}</p>`).join('\n')}
</article>
<footer>Printed on wet days. <a href="/article?page=2" rel="nofollow">Next page</a></footer>
</body>
</html>`;

export const articlePages: Record<string, SitePage> = {
  '/article': ({ response }) => sendHtml(response, article),
  '/article-plain': ({ response }) => {
    sendHtml(
      response,
      '<title>Plain</title><h1>A plain page</h1><p>One paragraph and <a href="/article">a link</a>.</p>',
    );
  },
  '/about': ({ response }) => sendHtml(response, '<title>About</title><h1>About Mair Prytherch</h1>'),
};
