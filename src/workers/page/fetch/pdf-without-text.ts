import type { Warning } from '../../../shared/schemas/job.ts';

export const pdfWithoutText: Warning = {
  code: 'pdf_without_text',
  message: 'The PDF has no text that can be read: its pages are pictures, such as scans, or empty.',
};
