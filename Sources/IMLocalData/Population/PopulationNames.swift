/// The names from which those of people, groups and files of a population are combined at random.
enum PopulationNames {
    typealias Person = PopulationFeed.Person

    private static func named(_ pairs: KeyValuePairs<String, String>) -> [Person] {
        pairs.map { Person(name: $0.key, id: $0.value) }
    }

    /// The most common surnames are first, because lower indices are chosen more often.
    static let surnames = named([
        "王": "wang", "李": "li", "张": "zhang", "刘": "liu", "陈": "chen", "杨": "yang", "赵": "zhao", "黄": "huang",
        "周": "zhou", "吴": "wu", "徐": "xu", "孙": "sun", "胡": "hu", "朱": "zhu", "高": "gao", "林": "lin", "何": "he",
        "郭": "guo", "马": "ma", "罗": "luo", "梁": "liang", "宋": "song", "郑": "zheng", "谢": "xie", "韩": "han",
        "唐": "tang", "冯": "feng", "于": "yu", "董": "dong", "萧": "xiao", "欧阳": "ouyang", "司徒": "situ",
    ])

    static let givenNames = named([
        "芳": "fang", "伟": "wei", "娜": "na", "敏": "min", "静": "jing", "丽": "li", "强": "qiang", "磊": "lei",
        "军": "jun", "洋": "yang", "勇": "yong", "艳": "yan", "杰": "jie", "涛": "tao", "明": "ming", "超": "chao",
        "秀英": "xiuying", "桂兰": "guilan", "建国": "jianguo", "志强": "zhiqiang", "小红": "xiaohong", "雨桐": "yutong",
        "子涵": "zihan", "浩然": "haoran", "欣怡": "xinyi", "梓萱": "zixuan", "一诺": "yinuo", "宇航": "yuhang",
        "思远": "siyuan", "佳琪": "jiaqi", "晓东": "xiaodong", "海燕": "haiyan", "文博": "wenbo", "春梅": "chunmei",
    ])

    static let firstNames = named([
        "Emma": "emma", "Oliver": "oliver", "Sophie": "sophie", "Jack": "jack", "Amelia": "amelia", "Harry": "harry",
        "Grace": "grace", "Thomas": "thomas", "Lucy": "lucy", "Daniel": "daniel", "Chloe": "chloe", "Samuel": "samuel",
        "Hannah": "hannah", "Joseph": "joseph", "Ruby": "ruby", "Adam": "adam", "Nora": "nora", "Felix": "felix",
        "Irene": "irene", "Victor": "victor", "Maya": "maya", "Leon": "leon", "Zoë": "zoe", "Andrés": "andres",
    ])

    static let lastNames = named([
        "Smith": "smith", "Clark": "clark", "Brown": "brown", "Taylor": "taylor", "Evans": "evans", "Walker": "walker",
        "Wright": "wright", "Green": "green", "Baker": "baker", "Hughes": "hughes", "Cooper": "cooper", "Ward": "ward",
        "Turner": "turner", "Morgan": "morgan", "Bell": "bell", "Fisher": "fisher", "O'Neill": "oneill",
        "Peters": "peters", "Shaw": "shaw", "Novak": "novak", "García": "garcia", "Müller": "mueller",
    ])

    static let statuses = ["忙碌中", "在路上", "开会", "away until Monday", "on the road", "请留言", "☕️", "busy"]
    static let aliases = ["老", "小", "阿", "同学", "邻居", "同事", "客户", "教练"]
    static let conversationAliases = ["家里人", "工作", "重要", "work", "later", "周末", "client"]
    static let cities = ["杭州", "上海", "北京", "深圳", "成都", "广州", "南京", "武汉", "西安", "厦门"]
    static let greetings = [
        "你好，我是隔壁部门的", "我们在展会上见过", "楼下的邻居，加一下", "物业的，方便联系", "老同学，还记得我吗？", "客户介绍的",
        "Hi, we met at the fair", "It is me from the second floor", "Your colleague from sales", "请通过一下，谢谢",
    ]

    static let groupTopics = named([
        "电梯维修": "lift", "三号楼": "block3", "项目": "project", "财务": "finance", "羽毛球": "badminton",
        "周末爬山": "hiking", "家长": "parents", "采购": "purchase", "设计": "design", "值班": "duty", "老同学": "classmates",
        "拼饭": "lunch", "搬家": "moving", "售后": "service", "仓库": "storage", "摄影": "photo",
    ])
    static let groupEndings = ["群", "小组", "交流群", "通知群", "工作群", "讨论组"]
    static let englishTopics = named([
        "Lift": "lift", "Release": "release", "Office": "office", "Design": "design", "Running": "running",
        "Book": "book", "Support": "support", "Weekend": "weekend", "Finance": "finance", "Kitchen": "kitchen",
    ])
    static let englishEndings = ["Crew", "Team", "Club", "Group", "Friends", "Circle"]
    static let nicknames = ["主任", "师傅", "小助手", "组长", "driver", "coach", "值班员", "前台", "lead", "新人"]
    static let notices = [
        "每周一早上九点例会", "请把名片改成真实姓名", "Please keep to the topic", "发票统一交到财务", "群里不发广告", "Next meeting on Friday",
    ]

    static let documents = [
        "发票", "合同", "会议纪要", "报价单", "周报", "设计稿", "装修图纸", "invoice", "meeting-notes", "budget", "report", "plan",
        "manual",
    ]
    static let endings = ["pdf", "pdf", "docx", "xlsx", "zip", "pptx"]
    static let customTypes = ["location", "poll", "red-packet", "product-card", "order", "schedule"]
    static let reactions = ["+1", "+1", "+1", "heart", "laugh", "收到", "thanks", "eyes"]
}
