/* global SwaggerUIBundle */

/** The viewer has its own dark colours, under a class. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const followColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColours);
followColours();

/** Calls go to where this page was read from, whatever address the document names. */
async function showReference() {
  const response = await fetch('/openapi.json');
  const spec = await response.json();
  SwaggerUIBundle({
    spec: { ...spec, servers: [{ url: location.origin }] },
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    displayOperationId: true,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
}

showReference().catch((error) => {
  document.querySelector('#reference').textContent = `The reference cannot be shown: ${error.message}`;
});
