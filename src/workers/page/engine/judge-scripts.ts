import { type JudgedPage, judgePage } from './needs-browser.ts';

/** Whether a page needs a browser, by the texts of its scripts too. */
export default function judgeScripts(page: JudgedPage): boolean {
  return judgePage(page).need !== null;
}
