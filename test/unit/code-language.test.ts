import { type Element, isTag } from 'domhandler';
import { expect, test } from 'vitest';
import { walk } from '../../src/workers/extract/walk.ts';
import { languageOf } from '../../src/workers/extract/code-language.ts';
import { parseTree } from '../../src/workers/extract/parse-tree.ts';

function languageIn(html: string): string | null {
  let pre: Element | null = null;
  walk(
    parseTree(html),
    (element) => {
      if (element.name === 'pre') pre ??= element;
      return true;
    },
    () => undefined,
    () => undefined,
  );
  return pre !== null && isTag(pre) ? languageOf(pre) : null;
}

test.each([
  ['Prism', '<pre class="line-numbers language-css"><code class="language-css">', 'css'],
  ['highlight.js', '<pre><code class="hljs python">', 'python'],
  ['highlight.js, prefixed', '<pre><code class="hljs language-c++">', 'c++'],
  ['Shiki in Astro', '<pre class="astro-code" data-language="tsx"><code>', 'tsx'],
  ['VitePress', '<div class="language-ts vp-adaptive-theme"><pre class="shiki"><code>', 'ts'],
  ['Pygments', '<div class="highlight-python notranslate"><div class="highlight"><pre>', 'python'],
  [
    'Rouge',
    '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code>',
    'ruby',
  ],
  ['Chroma', '<div class="highlight"><pre class="chroma"><code class="language-go" data-lang="go">', 'go'],
  ['GitHub', '<div class="highlight highlight-source-shell"><pre>', 'shell'],
  ['GitHub, markup', '<div class="highlight highlight-text-html-basic"><pre>', 'html'],
  ['GitHub, a dialect', '<div class="highlight highlight-source-css-scss"><pre>', 'scss'],
  ['GitLab', '<pre class="code highlight js-syntax-highlight language-ruby" lang="ruby"><code>', 'ruby'],
  ['cmark', '<pre lang="python"><code>', 'python'],
  ['Octopress', '<figure class="code"><div class="highlight"><pre><code class="ruby">', 'ruby'],
  ['Hexo', '<figure class="highlight js"><pre>', 'js'],
  ['SyntaxHighlighter', '<pre class="brush: php; gutter: false">', 'php'],
  ['SyntaxHighlighter, drawn', '<div class="syntaxhighlighter  java"><pre>', 'java'],
  ['Crayon', '<pre class="lang:js decode:true">', 'js'],
  ['Enlighter', '<pre class="EnlighterJSRAW" data-enlighter-language="python">', 'python'],
  ['pandoc', '<pre class="sourceCode haskell"><code class="sourceCode haskell">', 'haskell'],
  ['Org', '<pre class="src src-emacs-lisp">', 'emacs-lisp'],
  ['DokuWiki', '<pre class="code file javascript">', 'javascript'],
  ['MediaWiki', '<div class="mw-highlight mw-highlight-lang-python mw-content-ltr"><pre>', 'python'],
  ['Jira', '<pre class="code-java">', 'java'],
  ['rustdoc', '<pre class="rust rust-example-rendered"><code>', 'rust'],
  ['mdBook', '<pre class="playground"><code class="language-rust,ignore edition2021">', 'rust'],
  ['mdBook, editable', '<pre><pre class="playground"><code class="language-rust">', 'rust'],
  ['Gatsby', '<div class="gatsby-highlight"><pre><code class="language-jsx{1,3}">', 'jsx'],
  ['what stands closest', '<div data-lang="c"><pre class="language-python">', 'python'],
  ['an unknown language', '<pre><code class="language-quarryscript">', 'quarryscript'],
])('%s names the language of code', (_, html, language) => {
  expect(languageIn(`<p>${html}a`)).toBe(language);
});

test.each([
  '<pre><code class="hljs language-none">',
  '<pre><code class="nohighlight">',
  '<pre class="language-undefined">',
  '<div class="highlight-default notranslate"><div class="highlight"><pre>',
  '<div class="lang-en"><pre>',
  '<div class="lang-en"><div data-lang="en"><pre>',
  '<pre lang="en">',
  '<pre class="wrapper dark text-sm">',
  '<div class="highlight-box shadow"><pre class="code-block">',
])('no language is named by %s', (html) => {
  expect(languageIn(`<p>${html}a`)).toBeNull();
});
