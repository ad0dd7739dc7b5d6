extension Vocabulary {
    static let chinese = Vocabulary(
        sentences: [
            "\(.time)去\(.place)吗？", "我在\(.place)等你", "\(.thing)又坏了", "\(.person)说\(.time)到\(.place)",
            "\(.paper)发我一下", "\(.paper)收到了，谢谢", "\(.time)开会，别忘了", "晚饭吃\(.food)怎么样", "好的，\(.time)见",
            "我先去\(.task)", "\(.person)在吗？", "今天\(.feeling)", "帮我看看\(.thing)", "\(.place)的\(.thing)修好了吗",
            "已经约了师傅，\(.time)上门", "一共\(.number)块，我先垫上", "还差\(.number)份\(.paper)", "\(.paper)要盖章吗",
            "\(.person)让我问你\(.paper)的事", "堵车，晚到\(.number)分钟", "到了，在\(.place)门口", "嗯嗯", "收到", "哈哈哈哈",
            "可以的", "不用了，谢谢", "稍等，我问一下\(.person)", "\(.time)有空吗，想\(.task)", "路上买点\(.food)回来",
            "我把雨伞忘在\(.place)了", "\(.thing)的说明书在哪里", "\(.person)刚从\(.place)回来，\(.feeling)", "周末一起\(.task)吧",
            "别急，\(.time)之前给你", "这个\(.paper)金额不对，少了\(.number)块", "\(.food)真不错，下次还去", "你先\(.task)，我\(.time)过去",
            "\(.place)停电了，\(.thing)用不了", "快递放在\(.place)了，取件码\(.number)", "\(.person)生日是\(.time)，买什么好",
            "麻烦把\(.paper)打印\(.number)份", "辛苦了", "没问题，交给我", "我到家了", "刚才在\(.task)，没看到",
        ],
        words: [
            [
                "小王", "李姐", "张总", "刘师傅", "陈老师", "妈妈", "老杨", "赵经理", "黄医生", "周律师", "房东", "物业", "客户", "吴会计",
                "保安大叔", "徐教练", "孙阿姨", "前台", "快递员", "胡同学", "新来的实习生", "楼上邻居", "高工", "舅舅",
            ],
            [
                "公司", "楼下", "学校", "地铁站", "三楼会议室", "超市", "医院", "咖啡馆", "车库", "机场", "一号门", "食堂", "银行", "健身房",
                "火车站", "图书馆", "仓库", "菜市场", "派出所", "公园", "幼儿园", "展厅", "售楼处", "天台",
            ],
            [
                "电梯", "打印机", "空调", "门禁", "投影仪", "电脑", "手机", "路由器", "热水器", "钥匙", "雨伞", "充电器", "水管", "洗衣机",
                "行李箱", "自行车", "冰箱", "路灯", "监控", "耳机", "相机", "灭火器", "望远镜", "缝纫机",
            ],
            [
                "合同", "报告", "周报", "方案", "报价单", "会议纪要", "图纸", "发票", "申请表", "名单", "预算", "简历", "清单", "收据", "课程表",
                "通知", "身份证复印件", "行程单", "委托书", "说明书", "保修卡", "验收单", "授权书", "体检报告",
            ],
            [
                "火锅", "面条", "饺子", "外卖", "烧烤", "米线", "水果", "豆浆", "包子", "奶茶", "酸菜鱼", "蛋糕", "小龙虾", "沙拉", "粽子",
                "麻辣烫", "豆腐", "西瓜", "月饼", "羊肉串", "煎饼", "汤圆", "凉皮", "青团",
            ],
            [
                "明天", "下午", "晚上", "周五", "下周", "中午", "今晚八点", "周末", "后天", "上午十点", "下班以后", "月底", "三点半", "周一早上",
                "半小时后", "年底", "端午节", "国庆", "礼拜三", "凌晨", "开学那天", "清明", "元旦", "放假前",
            ],
            [
                "开会", "吃饭", "取快递", "接孩子", "跑步", "买菜", "看电影", "打球", "写报告", "爬山", "体检", "报销", "出差", "洗车", "练琴",
                "搬家", "交房租", "理发", "办签证", "游泳", "钓鱼", "修车", "换灯泡", "学驾照",
            ],
            [
                "有点累", "挺顺利的", "太忙了", "下雨了", "心情不错", "好热", "好冷", "没睡好", "特别开心", "头疼", "还行", "有点紧张", "胃不舒服",
                "很感动", "无语了", "运气真好", "嗓子哑了", "有点想家", "信心满满", "提不起劲", "受宠若惊", "精神抖擞", "一头雾水", "哭笑不得",
            ],
        ],
        gap: "，",
        rareSentence: "对了，仓库里找到一台留声机",
        tips: ["新成员加入了群聊", "群名称已修改", "你们已经是好友了", "群公告已更新", "管理员开启了入群验证"],
        combineTitles: ["聊天记录", "群聊的聊天记录", "昨天的讨论"])

    /// Chinese mixed with English words, as in offices.
    static let mixed = Vocabulary(
        sentences: [
            "\(.time)的 meeting 改到\(.place)了", "\(.paper) 我 share 给你了", "这个 \(.thing) 有 bug，帮忙看下",
            "\(.person)说 deadline 是\(.time)", "OK，\(.time)见", "\(.thing) 要 update 一下", "先 check 一下 \(.paper)",
            "\(.time)我要 \(.task)，晚点 call 你", "PPT 第 \(.number) 页有个 typo", "\(.paper) 记得 cc \(.person)",
            "version \(.number) 今晚 release", "我 book 了\(.place)，\(.number) 个人", "lunch 吃\(.food)？", "thanks，辛苦啦",
            "Wi-Fi 密码是 lift\(.number)", "客户要 invoice，找\(.person)", "\(.place)的 \(.thing) down 了",
            "今天 \(.feeling)，先 offline 了",
        ],
        words: [
            ["Leo", "小王", "Amy", "张总", "Kevin", "HR", "PM", "李姐", "Grace", "QA", "老板", "Vicky", "前台", "实习生", "intern"],
            [
                "三楼会议室", "Zoom", "office", "lobby", "二号楼", "coffee shop", "B1", "lab", "公司", "studio", "展厅", "showroom",
                "rooftop", "canteen", "parking",
            ],
            [
                "App", "server", "demo", "VPN", "电梯", "printer", "SDK", "database", "门禁", "API", "build", "login",
                "router",
                "badge", "计时器",
            ],
            [
                "PPT", "文档", "PDF", "report", "proposal", "schedule", "合同", "budget", "spec", "发票", "resume", "NDA",
                "checklist", "log", "roadmap",
            ],
            [
                "pizza", "沙拉", "sushi", "火锅", "burger", "brunch", "面条", "taco", "外卖", "curry", "饺子", "拌饭", "ramen",
                "steak", "粽子",
            ],
            [
                "明天", "下午", "Friday", "下周", "今晚", "Q3", "next Monday", "周末", "月底", "五点", "sprint 结束", "lunch 后", "上午",
                "EOD", "圣诞",
            ],
            [
                "onsite", "出差", "training", "review", "健身", "开会", "debug", "interview", "onboarding", "WFH", "demo",
                "团建",
                "retro", "体检", "standup",
            ],
            [
                "很 busy", "有点 down", "超 happy", "emo 了", "好累", "很 nice", "有点 sick", "OK", "很 chill", "没 idea",
                "被 push 了", "很 relax",
            ],
        ],
        gap: "，",
        rareSentence: "btw 仓库里找到一台留声机 gramophone",
        tips: ["Leo 加入了 group", "群 topic 已修改", "你们已经是好友了"],
        combineTitles: ["chat history", "聊天记录", "standup 记录"])
}
