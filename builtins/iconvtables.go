package builtins

// iconvTransliterations holds a character and what //TRANSLIT writes for it in
// ASCII, each pair ended by a tab.
const iconvTransliterations = "\u00a0 \t¡!\t¢c\t£GBP\t¥JPY\t¦|\t©(C)\tªa\t«<<\t¬!\t\u00ad-\t®(R)\t±+-\t²2\t³3\t´'\tµu\t·.\t¸,\t¹1\tºo\t»>>\t¼ 1/4 \t½ 1/2 \t¾ 3/4 \tÀA\t" +
	"ÁA\tÂA\tÃA\tÄA\tÅA\tÆAE\tÇC\tÈE\tÉE\tÊE\tËE\tÌI\tÍI\tÎI\tÏI\tÐD\tÑN\tÒO\tÓO\tÔO\tÕO\tÖO\t×x\tØO\tÙU\tÚU\tÛU\tÜU\tÝY\tÞTH\tßss\tàa\táa\t" +
	"âa\tãa\täa\tåa\tæae\tçc\tèe\tée\têe\tëe\tìi\tíi\tîi\tïi\tðd\tñn\tòo\tóo\tôo\tõo\töo\t÷/\tøo\tùu\túu\tûu\tüu\týy\tþth\tÿy\tĀA\tāa\tĂA\t" +
	"ăa\tĄA\tąa\tĆC\tćc\tĈC\tĉc\tĊC\tċc\tČC\tčc\tĎD\tďd\tĐD\tđd\tĒE\tēe\tĔE\tĕe\tĖE\tėe\tĘE\tęe\tĚE\těe\tĜG\tĝg\tĞG\tğg\tĠG\tġg\tĢG\tģg\tĤH\t" +
	"ĥh\tĦH\tħh\tĨI\tĩi\tĪI\tīi\tĬI\tĭi\tĮI\tįi\tİI\tıi\tĲIJ\tĳij\tĴJ\tĵj\tĶK\tķk\tĸq\tĹL\tĺl\tĻL\tļl\tĽL\tľl\tĿL\tŀl\tŁL\tłl\tŃN\tńn\tŅN\t" +
	"ņn\tŇN\tňn\tŉ'n\tŊN\tŋn\tŌO\tōo\tŎO\tŏo\tŐO\tőo\tŒOE\tœoe\tŔR\tŕr\tŖR\tŗr\tŘR\třr\tŚS\tśs\tŜS\tŝs\tŞS\tşs\tŠS\tšs\tŢT\tţt\tŤT\tťt\tŦT\t" +
	"ŧt\tŨU\tũu\tŪU\tūu\tŬU\tŭu\tŮU\tůu\tŰU\tűu\tŲU\tųu\tŴW\tŵw\tŶY\tŷy\tŸY\tŹZ\tźz\tŻZ\tżz\tŽZ\tžz\tſs\t‐-\t‑-\t‒-\t–-\t—--\t―-\t‘'\t’'\t‚,\t" +
	"‛'\t“\"\t”\"\t„,,\t‟\"\t†+\t•o\t․.\t‥..\t…...\t\u202f \t‵`\t‶``\t‷```\t‹<\t›>\t‼!!\t⁄/\t⁇??\t⁈?!\t⁉!?\t⁊&\t\u205f \t\u2060\t\u2061\t\u2062\t\u2063\t₠CE\t₡C=\t₢Cr\t₣Fr.\t" +
	"₤L.\t₧Pts\t₨Rs\t₩KRW\t₪ILS\t₫Dong\t€EUR\t₯GRD\t₱PHP\t₴UAH\t₸KZT\t₹INR\t₺TL\t₽RUB\t₾GEL\t℀a/c\t℁a/s\tℂC\t℅c/o\t℆c/u\tℊg\tℋH\t" +
	"ℌH\tℍH\tℎh\tℐI\tℑI\tℒL\tℓl\tℕN\t№No\tℙP\tℚQ\tℛR\tℜR\tℝR\t℞Rx\t℠SM\t℡TEL\t™(TM)\tℤZ\tℨZ\tKK\tÅA\tℬB\tℭC\t℮e\tℯe\tℰE\tℱF\tℳM\tℴo\tℹi\t" +
	"℻FAX\tⅅD\tⅆd\tⅇe\tⅈi\tⅉj\t⅐ 1/7 \t⅑ 1/9 \t⅒ 1/10 \t⅓ 1/3 \t⅔ 2/3 \t⅕ 1/5 \t⅖ 2/5 \t⅗ 3/5 \t⅘ 4/5 \t⅙ 1/6 \t⅚ 5/6 \t⅛ 1/8 \t" +
	"⅜ 3/8 \t⅝ 5/8 \t⅞ 7/8 \t⅟ 1/ \tⅠI\tⅡII\tⅢIII\tⅣIV\tⅤV\tⅥVI\tⅦVII\tⅧVIII\tⅨIX\tⅩX\tⅪXI\tⅫXII\tⅬL\tⅭC\tⅮD\tⅯM\tⅰi\tⅱii\tⅲiii\t" +
	"ⅳiv\tⅴv\tⅵvi\tⅶvii\tⅷviii\tⅸix\tⅹx\tⅺxi\tⅻxii\tⅼl\tⅽc\tⅾd\tⅿm\t↉ 0/3 \t←<-\t→->\t↔<->\t↮!<->\t⇍!<=\t⇎!<=>\t⇏!=>\t⇐<=\t⇒=>\t⇔<=>\t" +
	"−-\t∕/\t∖\\\t∗*\tﬀff\tﬁfi\tﬂfl\tﬃffi\tﬄffl\tﬅst\tﬆst\t"
