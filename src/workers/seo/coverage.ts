import type { Coverage } from '../../shared/schemas/seo.ts';

/** Why a figure is not known, and what an operator can do about it. */
export type Reason = Omit<Coverage['missing'][number], 'figure'>;

export interface CoverageParts {
  /** Where figures come from; those that are missing are left out. */
  figures: Coverage['figures'];
  /** By field; that of `quality` is that of its parts too. */
  reasons: Readonly<Record<string, Reason>>;
  /** Of all other fields. */
  otherwise: Reason;
}

const isUnknown = (value: unknown): boolean =>
  value === null ||
  (Array.isArray(value)
    ? value.length === 0
    : typeof value === 'object' && Object.values(value).every(isUnknown));

const isPartOf = (figure: string, whole: string) => figure === whole || figure.startsWith(`${whole}.`);

/** Every field of an answer, once for each entry of a list. A factor goes by its name. */
function* fieldsOf(value: unknown, path: string): Generator<{ figure: string; isKnown: boolean }> {
  if (value === null || typeof value !== 'object' || isUnknown(value)) {
    yield { figure: path, isKnown: !isUnknown(value) };
  } else if (Array.isArray(value)) {
    for (const item of value as Record<string, unknown>[]) {
      const { name, value: only } = item;
      yield* typeof name === 'string' ? fieldsOf(only, `${path}.${name}`) : fieldsOf(item, path);
    }
  } else {
    for (const [key, part] of Object.entries(value))
      yield* fieldsOf(part, path === '' ? key : `${path}.${key}`);
  }
}

/** The answer with its `coverage`, which names every field that is null or empty. */
export function withCoverage<Answer extends object>(
  answer: Answer,
  { figures, reasons, otherwise }: CoverageParts,
): Answer & { coverage: Coverage } {
  const fields = [...fieldsOf(answer, '')];
  const figuresWhere = (isKnown: boolean) => [
    ...new Set(fields.filter((field) => field.isKnown === isKnown).map(({ figure }) => figure)),
  ];
  const known = figuresWhere(true);
  const reasonOf = (figure: string): Reason => {
    const [field] = Object.keys(reasons)
      .filter((key) => isPartOf(figure, key))
      .toSorted((a, b) => b.length - a.length);
    return (field === undefined ? undefined : reasons[field]) ?? otherwise;
  };
  return {
    ...answer,
    coverage: {
      figures: figures.filter(({ figure }) => known.some((one) => isPartOf(one, figure))),
      missing: figuresWhere(false).map((figure) => ({ figure, ...reasonOf(figure) })),
    },
  };
}
