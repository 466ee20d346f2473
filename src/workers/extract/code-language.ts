import { type Element, isTag } from 'domhandler';

/** Names and aliases of languages, which stand bare among names of mere looks. */
const languages = new Set(
  'abap actionscript ada adoc angelscript apache apacheconf apex apl applescript arduino arm armasm asciidoc asm aspectj assembly astro atom autohotkey autoit awk bash bat batch batchfile bazel bf bicep bind blade bnf brainfuck c c++ cc ceylon clj clojure cmake cmd cobol coffee coffeescript console coq cpp cr crystal cs csharp css csv cts cuda cxx cypher d dart delphi diff django dns docker dockerfile dos doscon dotenv ebnf editorconfig ejs elisp elixir elm erb erl erlang excel f# f90 f95 fish fortran fs fsharp gawk gcode gdb gdscript gherkin gitignore gleam glsl go golang gradle graphql groovy h h++ hack haml handlebars haskell haxe hbs hcl hh hlsl hpp hs html http https hx hxx ini ino ipython ipython3 java javascript jinja jl js json json5 jsonc jsonl jsonnet jsp jsx julia julia-repl kotlin kt kts latex less lex liquid lisp livescript ls lua m make makefile markdown mathematica matlab md mdx mermaid mjs mk ml mm mojo moonscript mts mysql nasm nginx nginxconf nim nix nsis nu nushell obj-c objc objective-c objectivec ocaml octave odin openscad pas pascal patch pcmk perl pgsql php pl plain plaintext plist plpgsql postgres postgresql postscript powershell prisma processing prolog properties proto protobuf ps ps1 pug puppet purescript py pycon pycon3 python python3 q qml r racket raku rb reasonml regex rego roc rs rss rst ruby rust sas sass scala scheme scss sh shell shell-session shellscript smali smalltalk sml sol solidity sparql sql ssh starlark stata styl stylus svelte svg swift systemverilog tcl terraform tex text tf thrift toml ts tsql tsv tsx turtle twig txt typescript v vala vb vbnet vbs vbscript verilog vhdl vim viml vimscript vue wasm wat webassembly wgsl wolfram x86asm xhtml xml xquery xsl yacc yaml yml zig zsh'.split(
    ' ',
  ),
);
/** What highlighters write where they know of no language. */
const noLanguages = new Set('auto default nohighlight no-highlight none null undefined unknown'.split(' '));
/** Attributes in which highlighters name a language. */
const languageAttributes = ['data-lang', 'data-language', 'data-enlighter-language'];
/** With what a name of a language begins, whichever the language is. */
const named =
  /(?:^|\s)(?:(?:language|lang|hljs-language)[-:]|(?:mw-highlight-lang|highlight-source|highlight-text)-|brush:\s*|src\s+src-)([^\s"'`<>]{1,30})/;
/** With what one begins that may go on otherwise. */
const prefix = /^(?:highlight|src|code|geshifilter)-/;
/** Beside these, a name of a language is one. */
const codeNames = new Set(
  'brush code coderay geshi highlight hljs lang language prettyprint sourcecode syntaxhighlighter'.split(' '),
);

/** Names of the same language, as those who write them on code mean it. */
const aliases =
  'js javascript mjs cjs jsx node|ts typescript tsx mts cts|py python python3 py3|rb ruby|sh bash shell zsh console terminal shell-session shellscript|yml yaml|md markdown mdx|cs c# csharp|cpp c++ cxx cc hpp|fs f# fsharp|kt kotlin kts|rs rust|go golang|html htm markup xhtml xml svg|docker dockerfile|ps1 ps powershell|bat batch cmd dos|json jsonc json5|text plain plaintext txt|objc objective-c objectivec obj-c|hs haskell|ex exs elixir|erl erlang|hcl tf terraform|make mk makefile|tex latex|vb vbnet visualbasic|pl perl|proto protobuf|ml ocaml|clj clojure|jl julia|diff patch|vim viml vimscript|sql mysql pgsql postgres postgresql tsql plpgsql|hbs handlebars|styl stylus|scss sass|gql graphql|coffee coffeescript|asm assembly nasm'
    .split('|')
    .map((names) => names.split(' '));
const aliasesOf = new Map(aliases.flatMap((names) => names.map((name) => [name, names] as const)));

/** Whether two names mean the same language. */
export function isSameLanguage(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || aliasesOf.get(a)?.includes(b) === true;
}

const isLanguage = (name: string): boolean => languages.has(name.toLowerCase());

/** A name as it stands after its prefix, without what highlighters add: lines to mark, options. */
function trim(name: string): string | null {
  const bare = /^[^{}()[\],:;=]+/.exec(name)?.[0] ?? name;
  return noLanguages.has(bare.toLowerCase()) ? null : bare;
}

/** Of a scope of TextMate's (`css-scss`, `html-basic`), the most special part that names a language. */
const scopeName = (scope: string): string => scope.split('-').findLast(isLanguage) ?? scope;

/** @param isOwn of the code itself: what it is named first is its language, where that is one. */
function languageInClass(className: string, isOwn: boolean): string | null {
  const names = className.slice(0, 500);
  const [head = '', told] = named.exec(names) ?? [];
  const name = told === undefined ? null : trim(told);
  if (name !== null) {
    if (/highlight-(?:source|text)-/.test(head)) return scopeName(name);
    // What stands around code may be named after the language of its words.
    if (isOwn || name.length > 2 || isLanguage(name)) return name;
  }
  const words = names.split(/\s+/);
  const prefixed = words.find((word) => prefix.test(word) && isLanguage(word.replace(prefix, '')));
  if (prefixed !== undefined) return prefixed.replace(prefix, '');
  // highlight.js names the language on the code itself; around it, the class is one of looks.
  const isCode = words.some((word) => codeNames.has(word.toLowerCase()) && (isOwn || word !== 'hljs'));
  return words.find((word, at) => (isCode || (isOwn && at === 0)) && isLanguage(word)) ?? null;
}

function languageInAttributes({ attribs }: Element, isOwn: boolean): string | null {
  const told = languageAttributes.map((name) => attribs[name]).find(Boolean);
  const name = told !== undefined && /^[\w+#.-]{1,30}$/.test(told) ? trim(told) : null;
  return name !== null && (isOwn || isLanguage(name)) ? name : null;
}

/** Code may stand in a `pre` that stands in another. */
const codeIn = ({ children }: Element): Element | undefined =>
  children.find((child): child is Element => isTag(child) && /^(?:code|pre)$/.test(child.name));

/** What language code is in, as its highlighter has named it on it or on what stands closely around it. */
export function languageOf(pre: Element): string | null {
  const own = [pre];
  for (let inner = codeIn(pre); inner !== undefined && own.length < 4; inner = codeIn(inner))
    own.unshift(inner);
  const around: Element[] = [];
  for (let up = pre.parent; up !== null && isTag(up) && around.length < 2; up = up.parent) around.push(up);
  for (const elements of [own, around]) {
    for (const read of [
      languageInAttributes,
      (one: Element, isOwn: boolean) => languageInClass(one.attribs['class'] ?? '', isOwn),
    ]) {
      for (const element of elements) {
        const language = read(element, elements === own);
        if (language !== null) return language;
      }
    }
  }
  // `lang` is the language of words; where it names one of code, it is that of the code.
  return (
    own.map(({ attribs }) => attribs['lang'] ?? '').find((name) => name.length > 2 && isLanguage(name)) ??
    null
  );
}
