import { sendHtml, type SitePage } from './page.ts';

/** One line in each script, and in each language where a script has several. */
export const writingPages: Record<string, SitePage> = {
  '/scripts': ({ response }) => {
    sendHtml(
      response,
      `<title>Scripts</title><body style="font: 28px sans-serif"><p id="latin">Zażółć gęślą jaźń<p id="cyrillic">Съешь же ещё
      <p id="greek">Ξεσκεπάζω τὴν<p id="arabic">نص عربي طويل<p id="hebrew">שלום עולם<p id="devanagari">नमस्ते दुनिया
      <p id="thai">สวัสดีชาวโลก<p id="chinese" lang="zh">你好，世界。漢字<p id="japanese" lang="ja">こんにちは、カタカナ、日本
      <p id="korean" lang="ko">안녕하세요 세계<p id="emoji">😀🚀👩‍👩‍👧🇨🇭❤️<p id="bengali">বাংলা<p id="tamil">தமிழ்<p id="telugu">తెలుగు<p id="kannada">ಕನ್ನಡ<p id="malayalam">മലയാളം
      <p id="gujarati">ગુજરાતી<p id="punjabi">ਪੰਜਾਬੀ<p id="oriya">ଓଡ଼ିଆ<p id="sinhala">සිංහල<p id="amharic">አማርኛ<p id="khmer">ភាសាខ្មែរ
      <p id="burmese">မြန်မာ<p id="urdu" lang="ur">اردو زبان<p id="tibetan">བོད་ཡིག<p id="dhivehi">ދިވެހި<p id="cherokee">ᏣᎳᎩ<p id="syriac">ܣܘܪܝܝܐ<p id="javanese">ꦗꦮꦱ
      <p id="balinese">ᬩᬮᬶᬓ<p id="santali">ᱥᱟᱱᱛᱟᱲ<p id="manipuri">ꯃꯤꯇꯩ<p id="radicals">⼀⼈⽔⻓⺀<p id="keycaps">1️⃣#️⃣9️⃣<p id="joined">🏳️‍🌈❤️‍🔥🐻‍❄️<p id="bold"><b>粗体 굵게 मोटा</b>`,
    );
  },
};
