import { Badge } from '../parts/badge.tsx';
import { counted } from '../parts/words.ts';

interface Evidence {
  selector: string | null;
  url: string | null;
  value: string | null;
}

interface Issue {
  id: string;
  category: string;
  severity: string;
  title: string;
  description?: string;
  fix?: string;
  evidence?: Evidence[];
  evidenceTotal?: number;
}

const categoryNames: Readonly<Record<string, string>> = { bestPractices: 'best practices', seo: 'SEO' };

const placeOf = ({ selector, url, value }: Evidence) =>
  [selector ?? url, value].filter((part) => part !== null).join(': ');

/** The report of a review: its scores, and what to mend. */
export function Review({ data }: { data: Readonly<Record<string, unknown>> }) {
  const scores = Object.entries(data.scores as Record<string, number | null>);
  const issues = data.issues as Issue[];
  return (
    <div className="review">
      <dl className="scores">
        {scores.map(([name, score]) => (
          <div key={name}>
            <dt>{categoryNames[name] ?? name}</dt>
            <dd>{score ?? '–'}</dd>
          </div>
        ))}
      </dl>
      <ul className="issues">
        {issues.map(({ evidence = [], evidenceTotal = evidence.length, ...issue }) => (
          <li key={`${issue.category} ${issue.id}`}>
            <Badge status={issue.severity} /> <strong>{issue.title}</strong>
            <p>{issue.description}</p>
            {issue.fix === undefined ? null : <p className="fine">{issue.fix}</p>}
            {evidence.length === 0 ? null : (
              <details>
                <summary>Found {evidenceTotal === 1 ? 'once' : counted(evidenceTotal, 'time')}</summary>
                <ul>
                  {evidence.map((place, index) => (
                    <li key={index}>
                      <code>{placeOf(place)}</code>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
