interface Page {
  nextCursor: string | null;
}

/** A list's call: its answer is the page, or has it as `data`. */
type List = (input: never) => Promise<Page | { data: Page }>;

type PageOf<Of extends List> =
  Awaited<ReturnType<Of>> extends infer Answer
    ? Answer extends { data: infer Data }
      ? Data
      : Answer
    : never;

type Items<Of> = {
  [Name in keyof Of]: Of[Name] extends (infer Item)[] ? Item : never;
}[keyof Of];

/**
 * All items of a list, page after page: `for await (const job of iterate(quarry.jobs.list, { status: 'failed' }))`.
 */
export async function* iterate<Of extends List>(
  list: Of,
  input: NonNullable<Parameters<Of>[0]>,
): AsyncGenerator<Items<PageOf<Of>>, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const asked: object = cursor === undefined ? input : { ...(input as object), cursor };
    const answer = await list(asked as never);
    const page = 'data' in answer ? answer.data : answer;
    yield* Object.values(page).find((value) => Array.isArray(value)) as Items<PageOf<Of>>[];
    cursor = page.nextCursor;
  }
}
