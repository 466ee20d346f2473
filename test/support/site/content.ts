const head = `<!doctype html><html lang="en-GB"><head><title>How slate is split | Stone Weekly</title>
<meta property="og:site_name" content="Stone Weekly"><meta property="og:title" content="How slate is split">
<meta property="og:type" content="article"><meta property="og:image" content="/lead.jpg">
<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">
<meta name="description" content="Why slate is split and never sawn, told by those who do it.">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"How slate is split",
"datePublished":"2026-03-14T09:30:00+01:00","dateModified":"2026-03-15","author":{"@type":"Person","name":"Ada Quarryman"},
"publisher":{"@type":"Organization","name":"Stone Weekly"}}</script></head>`;

const menu = `<header class="site-header"><nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/stones">Stones</a></li>
<li><a href="/quarries">Quarries</a></li><li><a href="/shop">Shop</a></li></ul></nav></header>`;

const article = `<main><article class="post"><header><h1>How slate is split</h1>
<p class="byline">By <a rel="author" href="/authors/ada">Ada Quarryman</a></p><time datetime="2026-03-14">14 March 2026</time></header>
<div class="entry-content">
<p>Slate is split along its <a href="/glossary#cleavage">cleavage</a>, the planes in which its minerals lie since the mountain was pressed. Whoever saws it wastes what the mountain has prepared, and the roof that is made of sawn slate lasts half as long as one that was split by hand.</p>
<p>The splitters of the valley have done so for four hundred years, and they still begin each morning in the same way: they wet the block, they look for the grain, and they wait until the stone has taken the water. The frost does half of the work, they say, and patience does the other half.</p>
<blockquote><p>You do not force the stone. You ask it where it wants to open, and then you help it along with the chisel.</p></blockquote>
<h2>In what order</h2>
<p>There are three steps, and none of them may be left out, however much the foreman shouts:</p>
<ol><li>Lay the block on its side so that the grain runs from left to right.</li>
<li>Set the chisel in the middle, and strike it once, not hard.</li>
<li>Turn the block, and split each half again until the sheets are thin enough.</li></ol>
<p>How thin that is depends on the roof, and on the snow that it will have to carry in a winter of the mountains.</p>
<table><thead><tr><th>Roof</th><th>Sheet</th></tr></thead><tbody><tr><td>Church of the valley</td><td>Nine millimetres thick</td></tr>
<tr><td>Barn on the southern slope</td><td>Five millimetres thick</td></tr></tbody></table>
<p>Some have written the rule down for the machine that was to replace them, and it is short enough to be read here:</p>
<div class="highlight"><pre class="language-python"><code class="language-python"><span class="line"><span class="k">def</span> split(block):</span>
<span class="line">    <span class="k">for</span> layer <span class="k">in</span> block:</span>
<span class="line">        <span class="k">yield</span> layer</span>
</code></pre></div>
<p>The machine was sold in the next spring, because it could not hear the stone, and the splitters went on as before.</p>
<figure><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/splitting.jpg" alt="A man with a chisel" width="640" height="480"><figcaption>A splitter at work in 1908.</figcaption></figure>
<p>Never leave a block in the sun, they told me when I left: what has dried out once does not open again, and all the patience of the valley will not bring its water back.</p>
</div></article>`;

const rest = `<aside class="sidebar"><h3>Marble prices</h3><ul><li><a href="/m1">Marble rises</a></li><li><a href="/m2">Marble falls</a></li></ul></aside></main>
<section class="newsletter"><p>Subscribe to our newsletter and get stones by mail.</p><form><input type="email"><button>Subscribe</button></form></section>
<section class="related"><h2>More from Stone Weekly</h2><ul><li><a href="/a1">Granite is back</a></li><li><a href="/a2">Who owns the quarry?</a></li><li><a href="/a3">The last lime kiln</a></li></ul></section>
<section class="comments" id="comments"><h2>2 comments</h2><div class="comment"><p>First comment: my grandfather split slate too.</p></div><div class="comment"><p>Lovely piece, thank you.</p></div></section>
<footer class="site-footer"><p>© 2026 Stone Weekly. All rights reserved.</p><ul><li><a href="/privacy">Privacy</a></li><li><a href="/terms">Terms</a></li></ul></footer>`;

/** An article with all that stands around one. */
export const quarryArticle = `${head}<body class="single-post">${menu}${article}${rest}</body></html>`;
