"""Words of everyday stories that "he", "she", "it" and "they" may stand for, and names of times.

A word that is in no list is a thing when it is a noun, and a person of any sex when it is a name. Given names are those
that the United States give nearly always to one sex.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MEN = _words(
    "man boy guy father dad daddy husband brother son grandfather grandpa grandson uncle nephew boyfriend fiance king"
    " prince gentleman waiter actor mailman policeman fireman groom"
)
WOMEN = _words(
    "woman girl lady mother mom mommy mum wife sister daughter grandmother grandma granddaughter aunt niece"
    " girlfriend fiancee queen princess waitress actress bride"
)
PEOPLE = _words(
    "adult agent artist author barber bartender boss buddy bully captain cashier chef child classmate clerk coach"
    " colleague cook cop cousin coworker crush customer dancer date dentist director doctor driver employee employer"
    " ex farmer firefighter friend grandchild grandparent guard guest host instructor judge kid landlord lawyer leader"
    " manager mechanic neighbor neighbour nurse officer opponent owner pal parent partner patient person pilot player"
    " plumber president principal professor realtor roommate salesperson sibling singer soldier spouse stranger"
    " student stylist teacher teammate teen teenager therapist thief toddler trainer vet visitor winner worker"
    " writer"
)
ANIMALS = _words(
    "dog cat puppy kitten pet horse bird baby infant bear fish rabbit bunny hamster cow pig goat duck deer monkey"
    " parrot pony"
)
GROUPS = _words("family team couple class crowd group band police company audience staff crew army government")

MALE_NAMES = _words(
    "aaron adam ahmed aidan aiden al alan albert alexander ali allan allen andrew andy anthony arthur austin barry"
    " ben benjamin bernard bill billy bo bob bobby brad bradley brandon brendan brett brian bruce bryan bryce caleb"
    " cameron carl carlos chad charles charlie chris christian christopher chuck clark cody colin connor corey craig"
    " curtis dale dan daniel danny darren dave david dean dennis derek derrick devin diego dominic don donald donnie"
    " donny doug douglas drew duane dustin dwayne dylan earl ed eddie edgar edward edwin eli elijah eric ethan evan"
    " felix fernando finn francis frank franklin fred frederick gabe gabriel gary gene george gerald glen glenn gordon"
    " graham greg gregory hal hank harold harry harvey hector henry herbert howard hugh hunter ian isaac ivan jack"
    " jackson jacob jake james jared jason jasper javier jay jeb jeff jeffrey jeremy jerome jerry jesse jesus jim"
    " jimmie jimmy joe joel joey john johnny jon jonah jonathan jose joseph josh joshua juan julian justin kai karl"
    " keith ken kenneth kenny kevin kurt kyle lance larry lars lawrence leo leon leonard liam logan louis lucas luis"
    " luke manny marcus mario mark martin marty marvin mason matt matthew max melvin michael mickey miguel mike mitch"
    " mitchell nate nathan neal ned neil nicholas nick noah norman oliver ollie omar oscar owen patrick paul pedro"
    " pete peter phil philip phillip ralph randy raul ray raymond rex ricardo richard rick ricky rob robert roberto"
    " rodney rodrigo roger roland ron ronald ronnie ross roy rudy russell ryan sal sam samuel scott sean seth shane"
    " shawn simon spencer stan stanley stephen steve steven stuart ted terrence theodore thomas tim timmy timothy toby"
    " todd tom tommy tony travis trevor troy tyler vernon victor vince vincent wade walter warren wayne wesley will"
    " william willie zach zachary"
)
FEMALE_NAMES = _words(
    "abby abigail agnes alice alicia alison allie allison alma alyssa amanda amber amelia amy ana andrea angela angie"
    " anita ann anna anne annie annika ashley audrey ava aya barbara becky bella beth betty beverly bonnie bree brenda"
    " brittany brooke caitlin cara carla carmen carol caroline carolyn carrie catherine cathy charlotte cheryl chloe"
    " christina christine cindy claire clara connie courtney crystal cynthia daisy danielle debbie deborah debra"
    " denise diana diane dina donna doris dorothy edith eileen elaine eleanor elena elizabeth ella ellen ellie emily"
    " emma erica erika erin esther ethel eva evelyn fiona florence frances freda gabriella gail gina gladys gloria"
    " grace gwen hailey haley hannah hazel heather heidi helen holly ida irene isabel isabella jackie jacqueline jan"
    " jana jane janet janice jasmine jean jeanne jen jenna jennifer jenny jessica jill joan joann joanna jodie"
    " josephine joy joyce juanita judith judy julia julie kara karen karina kate katherine kathleen kathryn kathy"
    " katie katy kaya kayla kelly kendra kia kim kimberly kristen kristin krystal kylie lana latoya laura lauren"
    " laurie leah lena leslie lillian lilly lily linda lisa liz lois lori lorraine louise lucy lydia lynn madison mae"
    " maggie mandy marcia margaret maria marie marilyn marissa marjorie marlene martha mary maureen maya megan melanie"
    " melinda melissa meredith mia michelle mildred mindy miranda missy molly mona monica nadia nancy naomi natalie"
    " nia nicole nina nora norma olivia paige pam pamela patricia patty paula peggy penny phyllis priscilla rachel"
    " reba rebecca regina renee rhonda rita ronda rosa rose rosemary ruby ruth sabrina sally samantha sandra sandy"
    " sara sarah sasha shannon sharon sheena sheila shelly sherry shirley sofia sonia sophia sophie stacy stella"
    " stephanie sue susan susie susy suzanne sylvia tamara tammy tanya tara tasha teresa theresa tiffany tina tonya"
    " trisha valerie vanessa vera veronica vicki victoria violet virginia vivian wanda wendy wilma yasmin yolanda"
    " yvonne zoe"
)
TIMES = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august"
    " september october november december christmas easter halloween thanksgiving"
)
