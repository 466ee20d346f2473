import { screenshot } from '../../../shared/contracts/web/screenshot.ts';
import { inlinePageUrl, screenshotFile } from '../../../shared/schemas/screenshot.ts';
import { definePresenter } from '../../presenter.ts';

export default definePresenter(screenshot, ({ row, status, input, output, link }) => {
  const { headers: _headers, cookies: _cookies, html: _html, url = inlinePageUrl, ...options } = input;
  return {
    id: row.id,
    status,
    url,
    finalUrl: output?.finalUrl ?? null,
    statusCode: output?.statusCode ?? null,
    title: output?.title ?? null,
    format: input.format,
    width: output?.width ?? null,
    height: output?.height ?? null,
    bytes: output?.bytes ?? null,
    sha256: output?.sha256 ?? null,
    imageUrl: output === null ? null : link(screenshotFile(output)),
    thumbnailUrl:
      output === null || output.format === 'pdf' ? null : link(screenshotFile(output), 'thumbnail'),
    truncated: output?.truncated ?? null,
    options,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
  };
});
