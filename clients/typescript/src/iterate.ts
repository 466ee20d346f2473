interface Page {
  data: { nextCursor: string | null };
}

type Items<Data> = {
  [Name in keyof Data]: Data[Name] extends (infer Item)[] ? Item : never;
}[keyof Data];

/**
 * All items of a list, page after page: `for await (const job of iterate(quarry.jobs.list, { status: 'failed' }))`.
 */
export async function* iterate<Input extends { cursor?: string }, Answer extends Page>(
  list: (input?: Input) => Promise<Answer>,
  input: NoInfer<Input>,
): AsyncGenerator<Items<Answer['data']>, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { data } = await list(cursor === undefined ? input : { ...input, cursor });
    const items = Object.values(data).find((value) => Array.isArray(value)) as Items<Answer['data']>[];
    yield* items;
    cursor = data.nextCursor;
  }
}
