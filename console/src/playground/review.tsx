import { Badge } from '../parts/badge.tsx';

interface Issue {
  id: string;
  category: string;
  severity: string;
  title: string;
  description?: string;
  fix?: string;
}

/** The report of a review: its scores, and what to mend. */
export function Review({ data }: { data: Readonly<Record<string, unknown>> }) {
  const scores = Object.entries(data.scores as Record<string, number | null>);
  const issues = data.issues as Issue[];
  return (
    <div className="review">
      <dl className="scores">
        {scores.map(([name, score]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{score ?? '–'}</dd>
          </div>
        ))}
      </dl>
      <ul>
        {issues.map((issue) => (
          <li key={`${issue.category} ${issue.id}`}>
            <Badge status={issue.severity} /> <strong>{issue.title}</strong>
            <p>{issue.description}</p>
            {issue.fix === undefined ? null : <p className="fine">{issue.fix}</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}
