/** A whole page of the documentation. `main` and `head` are HTML. */
export function pageFrame({
  title,
  head = '',
  main,
}: {
  title: string;
  head?: string;
  main: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}<link rel="stylesheet" href="/docs/assets/docs.css">
</head>
<body>
<nav><strong>Quarry</strong> <a href="/docs">Reference</a> <a href="/docs/errors">Error codes</a> <a href="/openapi.json">OpenAPI document</a></nav>
<main>
${main}
</main>
</body>
</html>
`;
}
