/** What Word, PowerPoint and Excel call a new file, before its number. */
const newFile =
  'do[ck]ument[oe]?|документ|文[書档]|pr[eéäæ]sentation|presentaci[oó]n|presentazione|presentatie|apresentação|презентация|プレゼンテーション|演示文稿|book|mappe|classeur|libro|cartel|книга|工作簿';
const powerPoint =
  'powerpoint[ -]?(?:pr[eäæ]sentation|presentatie|プレゼンテーション|演示文稿)|(?:présentation|presentación(?: de)?|presentazione(?: standard)?(?: di)?|apresentação(?: do)?|презентация) powerpoint';
const nameless =
  '(?:untitled|unbenannt|ohne titel|sans titre|sin título|senza titolo|sem título|без названия|無題|无标题)(?:[ -]?(?:document|dokument|presentation|präsentation|spreadsheet))?(?: ?\\d{1,3})?';
const fileName = String.raw`[^\s].{0,200}\.(?:docx?|odt|rtf|pptx?|odp|xlsx?|ods|indd|qxd|tex|dvi|pdf|ps|html?)`;
const noTitle = new RegExp(
  String.raw`^(?:\((?:anonymous|unspecified)\)|${nameless}|(?:${newFile})\d{1,3}|${powerPoint}|${fileName}|microsoft (?:word|powerpoint|excel) - .*)$`,
  'i',
);

/** A title, or null where it is what programs put where nobody gave one: the name of a file, mostly. */
export const givenTitle = (title: string | null): string | null =>
  title === null || noTitle.test(title) ? null : title;

/**
 * When the files were made that programs begin new ones with: that of python-docx, and those of Excel and of libraries
 * that write as it does.
 */
const templates = new Set([
  '2013-12-23T23:15:00Z',
  '2006-09-16T00:00:00Z',
  '2015-06-05T18:17:20Z',
  '2015-06-05T18:17:26Z',
  '2015-06-05T18:19:34Z',
]);

/** A moment of an office document, or null where it is that of a template. */
export const givenMoment = (moment: string | null): string | null =>
  moment !== null && templates.has(moment) ? null : moment;

/** What programs put for an author where nobody is named. */
export const noAuthor =
  /^(?:\(?(?:anonymous|unspecified|un-named)\)?|python-docx|openpyxl|xlsxwriter|docx4j|exceljs|sheetjs|apache poi|(?:microsoft|ms|windows)[ -](?:office[ -])?(?:user|anwender|account))$/i;
