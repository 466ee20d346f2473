import { describe, expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

/** A thread as one of the common forum programs marks it up. */
interface Layout {
  path: string;
  body: (opening: string, replies: readonly string[]) => string;
}

const opening = [
  'I have split roofing slate by hand for two winters now, and since the last frost about every third block breaks across the bed when I set the chisel. The blocks come from the same bench of the same quarry as before.',
  'What I have tried so far: keeping the blocks under wet sacks overnight, a wider chisel with a thinner edge, and lighter blows from both ends in turn. The wider chisel helped a little with the thick blocks, and nothing else made a difference that I could count.',
  'The pieces that do come off are sound, ring well and carry no rust. So I wonder whether the frost has opened the grain inside of the block, or whether I simply lost the feeling for it. Does anybody test a block before it is split, and how?',
];
const replies = [
  'Knock along the edge with a small hammer before you start. Where the sound goes dull there is a crack inside, and the block is good for paving only.',
  'We had the same after the winter of 2019, and it was the frost. The blocks that had lain under the roof were fine.',
  'Thanks, that works.',
  'Leave the chisel in for a moment after the first blow, the crack runs on by itself. My master waited for a full breath before he struck again.',
  'Same here.',
];
const names = ['Bernd', 'quarrywoman', 'Ada', 'oldhand', 'mossy', 'shale42'];
const lines = (text: readonly string[], tag = 'p'): string =>
  text.map((one) => `<${tag}>${one}</${tag}>`).join('');
const each = (list: readonly string[], part: (text: string, n: number) => string): string =>
  list.map((text, n) => part(text, n + 1)).join('');
const user = (n: number): string => names[n % names.length] as string;
const menu = (list: readonly string[]): string =>
  `<ul>${list.map((one) => `<li><a href="/${one}">${one}</a></li>`).join('')}</ul>`;
const title = 'Blocks break across the bed since the frost';

const layouts: Record<string, Layout> = {
  phpBB: {
    path: '/forum/viewtopic.php?f=12&t=4711',
    body: (first, rest) => {
      const post = (
        html: string,
        n: number,
      ): string => `<div id="p${n}" class="post has-profile bg${(n % 2) + 1}"><div class="inner">
        <dl class="postprofile"><dt><a href="./memberlist.php?u=${n}" class="username">${user(n)}</a></dt><dd class="profile-posts"><strong>Posts:</strong> <a href="#">${n * 31}</a></dd><dd class="profile-joined"><strong>Joined:</strong> Tue Mar 0${n}, 2021 9:30 am</dd></dl>
        <div class="postbody"><div id="post_content${n}"><h3 class="first"><a href="#p${n}">${n > 0 ? 'Re: ' : ''}${title}</a></h3>
        <ul class="post-buttons"><li><a href="./posting.php?mode=quote&p=${n}">Quote</a></li></ul>
        <p class="author">by <a class="username" href="./memberlist.php?u=${n}">${user(n)}</a> » Mon Feb 0${n + 1}, 2026 8:1${n} am</p>
        <div class="content">${html}</div><div id="sig${n}" class="signature">Slate is patient.</div></div></div>
        <div class="back2top"><a href="#wrap">Top</a></div></div></div><hr class="divider">`;
      return `<div id="wrap"><div id="page-header"><a href="/">Stone board</a>${menu(['FAQ', 'Register', 'Login'])}</div><div id="page-body"><h2 class="topic-title"><a href="#">${title}</a></h2><div class="action-bar"><a href="./posting.php">Post Reply</a> 6 posts • Page 1 of 1</div>
        ${post(first.replaceAll('</p><p>', '<br><br>').replace(/<\/?p>/g, ''), 0)}${each(rest, post)}<div class="action-bar"><a href="#">Return to “Tools”</a></div><form><label>Jump to</label>${menu(['Tools', 'Trade', 'Off topic'])}</form></div><div id="page-footer"><p>Powered by phpBB</p></div></div>`;
    },
  },
  vBulletin: {
    path: '/showthread.php?t=8123',
    body: (first, rest) => {
      const post = (
        html: string,
        n: number,
      ): string => `<table id="post${n}" class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%"><tr><td class="thead">02-0${n + 1}-2026, 08:1${n} AM</td><td class="thead" align="right">#<a href="#">${n + 1}</a></td></tr>
        <tr valign="top"><td class="alt2" width="175"><div id="postmenu_${n}"><a class="bigusername" href="member.php?u=${n}">${user(n)}</a></div><div class="smallfont">Senior Member</div><div class="smallfont"><div>Join Date: Mar 2021</div><div>Posts: ${n * 31}</div></div></td>
        <td class="alt1" id="td_post_${n}"><div class="smallfont"><strong>${n > 0 ? 'Re: ' : ''}${title}</strong></div><hr size="1"><div id="post_message_${n}">${html.replaceAll('</p><p>', '<br><br>').replace(/<\/?p>/g, '')}</div>${n === 0 ? '<div>__________________<br>Slate is patient.</div>' : ''}</td></tr>
        <tr><td class="alt2">&nbsp;</td><td class="alt1" align="right"><a href="newreply.php?p=${n}">Reply With Quote</a></td></tr></table>`;
      return `<table class="tborder"><tr><td><a href="/">Stone board</a> &gt; <a href="/tools">Tools</a></td></tr><tr><td><strong>${title}</strong></td></tr></table><table><tr><td class="vbmenu_control"><a href="register.php">Register</a></td><td class="vbmenu_control"><a href="faq.php">FAQ</a></td></tr></table>
        <div id="posts">${post(first, 0)}${each(rest, post)}</div><table class="tborder"><tr><td class="smallfont">Posting Rules</td></tr><tr><td><div>You may not post new threads</div><div>You may not post replies</div></td></tr></table>`;
    },
  },
  XenForo: {
    path: '/threads/blocks-break-across-the-bed.5512/',
    body: (first, rest) => {
      const post = (
        html: string,
        n: number,
      ): string => `<article class="message message--post" data-author="${user(n)}" id="js-post-${n}"><div class="message-inner"><div class="message-cell message-cell--user"><section class="message-user"><h4 class="message-name"><a class="username">${user(n)}</a></h4><h5 class="userTitle message-userTitle">Well-known member</h5><dl class="pairs"><dt>Messages</dt><dd>${n * 31}</dd></dl></section></div>
        <div class="message-cell message-cell--main"><div class="message-main"><header class="message-attribution"><ul><li><a href="#post-${n}"><time datetime="2026-02-0${n + 1}T08:10:00+0000">Feb ${n + 1}, 2026</time></a></li><li><a href="#post-${n}">#${n + 1}</a></li></ul></header>
        <div class="message-content js-messageContent"><div class="message-userContent lbContainer"><article class="message-body js-selectToQuote"><div><div class="bbWrapper">${html.replaceAll('</p><p>', '<br>\n<br>\n').replace(/<\/?p>/g, '')}</div></div></article></div></div><footer class="message-footer"><div class="reactionsBar">oldhand and 2 others</div></footer></div></div></div></article>`;
      return `<div class="p-pageWrapper"><header class="p-header"><a href="/">Stone board</a></header><nav class="p-nav">${menu(['Forums', "What's new", 'Members', 'Log in', 'Register'])}</nav><div class="p-body"><div class="p-title"><h1 class="p-title-value">${title}</h1></div><div class="p-description"><ul><li>Thread starter ${user(0)}</li><li>Start date Feb 1, 2026</li></ul></div>
        <div class="block-body js-replyNewMessageContainer">${post(first, 0)}${each(rest, post)}</div><div class="block"><h3>Similar threads</h3>${menu(['Which hammer', 'Roof of the year', 'Frost and stone'])}</div></div><footer class="p-footer">Community platform by XenForo</footer></div>`;
    },
  },
  Discourse: {
    path: '/t/blocks-break-across-the-bed/9034',
    body: (first, rest) => {
      const post = (html: string, n: number): string =>
        `<div id="post_${n + 1}" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author"><a itemprop="url" href="/u/${user(n)}"><span itemprop="name">${user(n)}</span></a></span><span class="crawler-post-infos"><time datetime="2026-02-0${n + 1}T08:10:00Z" class="post-time">February ${n + 1}, 2026, 8:10am</time><span itemprop="position">${n + 1}</span></span></div><div class="post" itemprop="text">${html}</div><div itemprop="interactionStatistic"><span class="post-likes">${n} Likes</span></div></div>`;
      return `<header><a href="/">Stone board</a></header><div id="main-outlet" class="wrap" role="main"><div id="topic-title"><h1><a href="#">${title}</a></h1><div class="topic-category"><span class="category-title"><a href="/c/tools">Tools</a></span></div></div><div itemscope itemtype="http://schema.org/DiscussionForumPosting">${post(first, 0)}${each(rest, (text, n) => post(lines([text]), n))}</div>
        <div id="related-topics" class="more-topics__list"><h3>Related topics</h3><table class="topic-list"><tr><td><a href="/t/1">Which hammer for thin sheets?</a></td><td>4</td><td>812</td></tr></table></div></div><footer class="container">${menu(['Home', 'Categories', 'Guidelines', 'Terms of Service', 'Privacy Policy'])}<p>Powered by Discourse, best viewed with JavaScript enabled</p></footer>`;
    },
  },
  'Stack Exchange': {
    path: '/questions/77120/blocks-break-across-the-bed',
    body: (first, rest) => {
      const cell = (
        html: string,
        n: number,
      ): string => `<div class="post-layout"><div class="votecell post-layout--left"><div class="js-voting-container"><button>Upvote</button><div class="js-vote-count">${n * 3}</div><button>Downvote</button></div></div><div class="${n === 0 ? 'post' : 'answer'}cell post-layout--right"><div class="s-prose js-post-body" itemprop="text">${html}</div>
        <div class="mt16"><div class="post-menu"><a href="#">Share</a> <a href="#">Improve this ${n === 0 ? 'question' : 'answer'}</a> <button>Follow</button></div><div class="user-info"><div class="user-action-time">${n === 0 ? 'asked' : 'answered'} Feb ${n + 1} at 8:10</div><div class="user-details"><a href="/users/${n}">${user(n)}</a><span class="reputation-score">${n * 101}</span></div></div></div></div></div>`;
      return `<header class="s-topbar"><a href="/">Stone Exchange</a>${menu(['Products', 'Log in', 'Sign up'])}</header><div class="container"><div id="left-sidebar"><nav>${menu(['Home', 'Questions', 'Tags', 'Users'])}</nav></div><div id="content"><div id="question-header"><h1><a href="#">${title}</a></h1><a class="ws-nowrap s-btn" href="/questions/ask">Ask Question</a></div><div>Asked 9 months ago Modified 8 months ago Viewed 2k times</div>
        <div id="mainbar"><div class="question" id="question">${cell(first, 0)}</div><div id="answers"><h2>5 Answers</h2>${each(rest, (text, n) => `<div id="answer-${n}" class="answer">${cell(lines([text]), n)}</div>`)}</div><h2>Your Answer</h2><form><p>Thanks for contributing an answer to Stone Exchange!</p></form></div>
        <div id="sidebar"><div class="module"><h4>Related</h4>${menu(['Which hammer for thin sheets?', 'Does slate swell?'])}</div></div></div></div><footer>${menu(['Tour', 'Help', 'Chat', 'Contact'])}</footer>`;
    },
  },
  Reddit: {
    path: '/r/stonework/comments/1abc2de/blocks_break_across_the_bed/',
    body: (
      first,
      rest,
    ) => `<header><a href="/">reddit</a><a href="/login">Log In</a></header><main id="main-content"><shreddit-post author="${user(0)}" post-title="${title}"><div slot="credit-bar"><a href="/r/stonework">r/stonework</a> <faceplate-timeago>9 mo. ago</faceplate-timeago> <a href="/user/${user(0)}">${user(0)}</a></div><h1 slot="title">${title}</h1><div slot="text-body"><div class="md" id="t3_1abc2de-post-rtjson-content">${first}</div></div></shreddit-post>
      <shreddit-comment-tree>${each(rest, (text, n) => `<shreddit-comment author="${user(n)}" depth="0"><div slot="commentMeta"><a href="/user/${user(n)}">${user(n)}</a> <span>• 9mo ago</span></div><div class="md" slot="comment"><div id="t1_${n}-comment-rtjson-content">${lines([text])}</div></div><shreddit-comment-action-row><button>Reply</button> <a href="#">Share</a></shreddit-comment-action-row></shreddit-comment>`)}</shreddit-comment-tree></main>
      <aside><h2>r/stonework</h2><p>For all who cut, split and lay stone.</p><div>12K Members</div></aside>`,
  },
};

describe('a thread keeps its first post, however long, and its replies', () => {
  for (const [name, { path, body }] of Object.entries(layouts)) {
    test(`as ${name} lays it out`, () => {
      const html = `<!doctype html><html lang="en"><head><title>${title} - Stone board</title></head><body>${body(lines(opening), replies)}</body></html>`;
      const { text } = extractPage({ html, url: `https://board.example${path}` });
      for (const part of [...opening, ...replies]) expect(text).toContain(part);
      for (const part of ['Register', 'Powered by', 'Which hammer']) expect(text).not.toContain(part);
    });
  }
});

test('a thread whose address could be that of goods keeps its replies', () => {
  const reply = (text: string, n: number): string =>
    `<tr class="athing comtr"><td><table><tr><td class="ind"></td><td class="votelinks"><a href="vote?id=${n}">▲</a></td><td class="default"><div><span class="comhead"><a href="user?id=${user(n)}" class="hnuser">${user(n)}</a> <span class="age"><a href="item?id=${n}">${n} hours ago</a></span></span></div><div class="comment"><div class="commtext c00">${text}</div><div class="reply"><a href="reply?id=${n}">reply</a></div></div></td></tr></table></td></tr>`;
  const posts = Array.from(
    { length: 9 },
    (_, n) => `${replies[n % 2 ? 0 : 3]} That is ${n}, said ${user(n)}.`,
  );
  const body = `<center><table id="hnmain"><tr><td><table><tr><td><a href="/">Stone News</a> <a href="newest">new</a> | <a href="submit">submit</a></td></tr></table></td></tr><tr><td><table class="fatitem"><tr class="athing"><td class="title"><span class="titleline"><a href="https://stone.example/">${title}</a></span></td></tr><tr><td><div class="toptext">${lines(opening.slice(0, 1))}</div></td></tr></table><table class="comment-tree">${each(posts, reply)}</table></td></tr></table></center>`;
  const html = `<!doctype html><html lang="en"><head><title>${title} | Stone News</title></head><body>${body}</body></html>`;
  const { text } = extractPage({ html, url: 'https://news.example/item?id=4711' });
  for (const part of [opening[0], ...posts]) expect(text).toContain(part);
});

test.each(['t/slate/12', 'threads/slate.12', 'questions/12/slate', 'discussions/12'])(
  '/%s is a thread, whatever else it is called',
  (path) => {
    const json = '<script type=application/ld+json>{"@type":"Article","headline":"Slate"}</script>';
    const post = (name: string): string =>
      `<div class=post><a class=username href=/users/${name}>${name}</a><p>It splits along its layers, as the old hands say.</p></div>`;
    const html = `${json}<main><h1>Slate</h1>${['ann', 'bo', 'eva'].map(post).join('')}</main>`;
    expect(extractPage({ html, url: `http://a.example/${path}` }).byline).toBe('ann');
  },
);

describe('comments that are most of a page are a thread', () => {
  const said = (text: string, n: number): string =>
    `<tr class="athing comtr"><td><table><tr><td class="default"><div><span class="comhead"><a href="user?id=u${n}" class="hnuser">u${n}</a> <span class="age" title="2024-01-15T13:3${n}:00 17053${n}"><a href="item?id=${n}">${n} hours ago</a></span></span></div><div class="comment"><div class="commtext c00">${text}</div><div class="reply"><a href="reply?id=${n}">reply</a></div></div></td></tr></table></td></tr>`;
  const read = (url: string, { head = '', around = (html: string) => html, above = '' } = {}) =>
    extractPage({
      html: `<!doctype html><html lang="en"><head><title>${title} | Stone News</title>${head}</head><body><center><table><tr><td><a href="/">Stone News</a> <a href="newest">new</a> | <a href="submit">submit</a></td></tr><tr><td><table><tr><td class="title"><span class="titleline"><a href="https://stone.example/">${title}</a> <span>(stone.example)</span></span></td></tr><tr><td class="subtext">14 points by <a class="hnuser" href="user?id=quarryman">quarryman</a> <span class="age" title="2024-01-15T12:10:00 1705320600"><a href="item?id=1">2 hours ago</a></span> | <a href="hide">hide</a></td></tr></table>${around(above)}<table class="comment-tree">${each(replies, said)}</table></td></tr></table></center></body></html>`,
      url,
    });

  test.each([
    ['a link', ''],
    ['a question', `<div class="toptext">${lines(opening.slice(0, 1))}</div>`],
  ])('below %s', (_, above) => {
    const { text, byline, publishedAt } = read('https://news.example/item?id=4711', { above });
    for (const part of replies) expect(text).toContain(part);
    expect([byline, publishedAt]).toEqual(['quarryman', '2024-01-15T12:10:00']);
  });

  test.each([
    [
      'an article',
      'https://stone.example/of-frost',
      { above: lines(opening), around: (html: string) => `<article>${html}</article>` },
    ],
    ['much text', 'https://stone.example/of-frost', { above: lines([...opening, ...opening]) }],
    [
      'what is called an article',
      'https://stone.example/of-frost',
      { above: lines(opening.slice(0, 1)), head: '<meta property="og:type" content="article">' },
    ],
    ['a page of news', 'https://stone.example/news/of-frost', { above: lines(opening.slice(0, 1)) }],
    ['a page of a site of news', 'https://news.example/of-frost', { above: lines(opening.slice(0, 1)) }],
    ['goods', 'https://stone.example/of-frost', { head: '<meta property="og:type" content="product">' }],
  ])('but not below %s', (_, url, page) => {
    const { text, byline, publishedAt } = read(url, page);
    expect([byline, publishedAt?.startsWith('2024-01-15') ?? false]).toEqual([null, false]);
    for (const part of replies.filter(({ length }) => length < 20)) expect(text).not.toContain(part);
  });

  const paragraph = `<p>${opening[0]}</p>`;
  const comments = (tag: string, classes = 'comment', time = '') =>
    Array.from(
      { length: 12 },
      (_, n) =>
        `<${tag} class="${classes}"><b>Reader ${n}</b> ${time}<p>${replies[0]} That is ${n}.</p></${tag}>`,
    ).join('');
  const day = '<time datetime="2024-02-03T10:00:00Z">3 months ago</time>';
  test.each([
    ['news', `<div>${paragraph.repeat(3)}</div>${comments('div')}`],
    ['a webcomic', `<img src=/a.png width=800 alt=A>${paragraph}${comments('li', 'comment', day)}`],
    ['a recipe', `<ul><li>500 g plums<li>200 g flour</ul>${comments('div', 'comment', day)}`],
    ['goods', `<p>£ 30.00</p>${paragraph}<ol>${comments('li', 'review comment', day)}</ol>`],
    ['a dentist', `${paragraph}<h2>What patients say</h2>${comments('div')}`],
  ])('but not where no members write them: %s', (_, body) => {
    const html = `<title>Slate</title><main><h1>Slate</h1>${body}</main>`;
    const { byline, publishedAt } = extractPage({ html, url: 'https://stone.example/of-frost' });
    expect([byline, publishedAt]).toEqual([null, null]);
  });
  test('but not where they are cells of a table', () => {
    const rows = opening.map((one, n) => `<tr><td>name${n}<td class=comment>${one}`).join('');
    const html = `<title>Names</title><main><h1>Names</h1><table><tr><th>Name<th>Comment${rows}</table></main>`;
    expect(extractPage({ html, url: 'https://stone.example/names' }).text).toContain('Comment');
  });
});

test.each([
  ['Member since', '<span title="2012-02-01 09:00:00Z">Member since 2012</span>'],
  ['an avatar', '<span title="2012-02-01 09:00:00Z"><b>ann</b></span>'],
  ['the last reply', '<p>Last reply <span title="2024-09-01T10:00:00Z">2 days ago</span></p>'],
])('the day of a post is its own, not that in the title of %s', (_, other) => {
  const post = (text: string, n: number) =>
    `<div class=post><a href=/users/${n}>u${n}</a> ${other}<time datetime="2024-0${n}-01T10:00:00Z">x</time><p>${text}</p></div>`;
  const html = `<title>Slate</title><main><h1>Slate</h1>${other}${each(replies, post)}</main>`;
  const { publishedAt } = extractPage({ html, url: 'https://forum.example/t/slate/12' });
  expect(publishedAt?.slice(0, 10)).toBe('2024-01-01');
});
