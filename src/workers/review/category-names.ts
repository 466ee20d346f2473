import type { ReviewCategory } from '../../shared/schemas/review.ts';

/** As people read them. */
export const categoryNames: Readonly<Record<ReviewCategory, string>> = {
  performance: 'Performance',
  accessibility: 'Accessibility',
  bestPractices: 'Best practices',
  seo: 'SEO',
  security: 'Security',
  content: 'Content',
};
