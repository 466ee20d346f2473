/**
 * Loads a file of an operation, maybe of an extension.
 * @throws Error what the file throws; where its code cannot be read, with its path, which Node's own message lacks.
 */
export async function loadModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(file)) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(`${file} cannot be loaded: ${error.message}`);
  }
}

/** What a file exports as its default. @throws Error as `loadModule`, and where there is none. */
export async function loadDefault<T>(file: string): Promise<T> {
  const { default: exported } = await loadModule(file);
  if (exported === undefined) throw new Error(`${file} has no default export`);
  return exported as T;
}
