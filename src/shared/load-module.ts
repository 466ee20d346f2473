/**
 * Loads a file of an operation, maybe of an extension.
 * @throws Error what the file throws; where code cannot be read, a SyntaxError with the file's path, and as its cause the
 * one that has the place in its stack, maybe in a file that this one imports.
 */
export async function loadModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(file)) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = error.stack?.split('\n', 1)[0];
    throw new SyntaxError(`${file} cannot be loaded: ${error.message} (${place})`, { cause: error });
  }
}

/** What a file exports as its default. @throws Error as `loadModule`, and where there is none. */
export async function loadDefault<T>(file: string): Promise<T> {
  const { default: exported } = await loadModule(file);
  if (exported === undefined) throw new Error(`${file} has no default export`);
  return exported as T;
}
